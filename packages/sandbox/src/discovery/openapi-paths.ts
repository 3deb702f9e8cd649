import type { ServedResource, Subresource } from "../resource/served-resource.ts";
import { publishedName, schemaReference } from "./openapi-schemas.ts";

type PathItem = Readonly<Record<string, unknown>>;

/** The operations of a resource, by path; as much of each as clients look at. */
export function resourcePaths(resource: ServedResource): Readonly<Record<string, PathItem>> {
  const { group, version, plural, scope } = resource;
  const root = group === "" ? `/api/${version}` : `/apis/${group}/${version}`;
  const isNamespaced = scope === "Namespaced";
  const collection = `${root}${isNamespaced ? "/namespaces/{namespace}" : ""}/${plural}`;
  const place = isNamespaced ? [pathParameter("namespace")] : [];
  const parts = [...resource.subresources.values()].map((part): [string, PathItem] => [
    `${collection}/{name}/${part.name}`,
    { ...operations(resource, part, itemMethods), parameters: [pathParameter("name"), ...place] },
  ]);
  const paths: readonly [string, PathItem][] = [
    // Of all namespaces; of resources without one it is the collection itself, which comes after it.
    [`${root}/${plural}`, operations(resource, resource, { get: "list" })],
    [collection, { ...operations(resource, resource, collectionMethods), parameters: place }],
    [
      `${collection}/{name}`,
      { ...operations(resource, resource, itemMethods), parameters: [pathParameter("name"), ...place] },
    ],
    ...parts,
  ];
  return Object.fromEntries(
    paths.filter(([, item]) => Object.keys(item).some((key) => key !== "parameters")),
  );
}

/** Which verb a method stands for. */
const collectionMethods: Methods = { get: "list", post: "create", delete: "deletecollection" };
const itemMethods: Methods = { get: "get", put: "update", delete: "delete", patch: "patch" };

type Methods = Readonly<Record<string, string>>;

function operations(
  resource: ServedResource,
  part: Subresource | ServedResource,
  methods: Methods,
): PathItem {
  const isPosted = part !== resource && part.verbs.includes("create");
  const own = isPosted ? { ...methods, post: "create" } : methods;
  const entries = Object.entries(own).filter(([, verb]) => part.verbs.includes(verb));
  return Object.fromEntries(entries.map(([method, verb]) => [method, operation(resource, part, verb)]));
}

const actions: Readonly<Record<string, string>> = { create: "post", update: "put" };

function operation(resource: ServedResource, part: Subresource | ServedResource, verb: string): object {
  const group = part.group ?? resource.group;
  const version = part.version ?? resource.version;
  const answered = verb === "list" ? resource.listKind : part.kind;
  const schemaOf = (kind: string): object => {
    const name = publishedName(resource, group, version, kind);
    return name === undefined ? { type: "string" } : schemaReference(name);
  };
  return {
    parameters: parametersOf(verb),
    ...requestBody(resource, verb, schemaOf(part.kind)),
    responses: {
      "200": { description: "OK", content: { "application/json": { schema: schemaOf(answered) } } },
    },
    "x-kubernetes-action": actions[verb] ?? verb,
    "x-kubernetes-group-version-kind": { group, version, kind: part.kind },
  };
}

function requestBody(resource: ServedResource, verb: string, schema: object): object {
  if (verb === "patch") {
    const patch = { schema: schemaReference("io.k8s.apimachinery.pkg.apis.meta.v1.Patch") };
    const types = ["apply-patch+yaml", "json-patch+json", "merge-patch+json"];
    const all = resource.isCustom ? types : [...types, "strategic-merge-patch+json"];
    return {
      requestBody: {
        content: Object.fromEntries(all.map((type) => [`application/${type}`, patch])),
        required: true,
      },
    };
  }
  const hasBody = verb === "create" || verb === "update";
  return hasBody ? { requestBody: { content: { "*/*": { schema } }, required: true } } : {};
}

const queryParameters: Readonly<Record<string, readonly string[]>> = {
  list: [
    "continue",
    "fieldSelector",
    "labelSelector",
    "limit",
    "resourceVersion",
    "resourceVersionMatch",
    "watch",
  ],
  create: ["dryRun", "fieldManager", "fieldValidation"],
  update: ["dryRun", "fieldManager", "fieldValidation"],
  patch: ["dryRun", "fieldManager", "fieldValidation", "force"],
  delete: ["dryRun", "gracePeriodSeconds", "propagationPolicy"],
  deletecollection: ["dryRun", "fieldSelector", "gracePeriodSeconds", "labelSelector", "propagationPolicy"],
};

const parameterTypes: Readonly<Record<string, string>> = {
  force: "boolean",
  gracePeriodSeconds: "integer",
  limit: "integer",
  watch: "boolean",
};

function parametersOf(verb: string): readonly object[] {
  return (queryParameters[verb] ?? []).map((name) => {
    return { name, in: "query", schema: { type: parameterTypes[name] ?? "string", uniqueItems: true } };
  });
}

function pathParameter(name: string): object {
  return { name, in: "path", required: true, schema: { type: "string", uniqueItems: true } };
}
