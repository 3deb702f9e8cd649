import type { ServedResource, Subresource } from "../resource/served-resource.ts";
import { publishedName, schemaReference } from "./openapi-schemas.ts";

type PathItem = Readonly<Record<string, unknown>>;

/** The published facts of an operation. */
export interface OperationFacts {
  readonly isCustom: boolean;
  readonly verb: string;
  /** Names of schemas; undefined if the body is not JSON. */
  readonly sent: string | undefined;
  readonly response: string | undefined;
  readonly extensions: Readonly<Record<string, unknown>>;
}

/** How a version of OpenAPI writes operations. */
export interface PathDialect {
  operation(facts: OperationFacts): object;
  pathParameter(name: string): object;
}

/** The operations of a resource by path, with the parts that clients use. */
export function resourcePaths(
  resource: ServedResource,
  dialect: PathDialect = openApi3,
): Readonly<Record<string, PathItem>> {
  const { group, version, plural, scope } = resource;
  const root = group === "" ? `/api/${version}` : `/apis/${group}/${version}`;
  const isNamespaced = scope === "Namespaced";
  const collection = `${root}${isNamespaced ? "/namespaces/{namespace}" : ""}/${plural}`;
  const place = isNamespaced ? [dialect.pathParameter("namespace")] : [];
  const ofItem = [dialect.pathParameter("name"), ...place];
  const operations = (part: Subresource | ServedResource, methods: Methods): PathItem =>
    operationsOf(dialect, resource, part, methods);
  const parts = [...resource.subresources.values()].map((part): [string, PathItem] => [
    `${collection}/{name}/${part.name}`,
    { ...operations(part, itemMethods), parameters: ofItem },
  ]);
  const paths: readonly [string, PathItem][] = [
    // Of all namespaces; of resources without one it is the collection itself, which comes after it.
    [`${root}/${plural}`, operations(resource, { get: "list" })],
    [collection, { ...operations(resource, collectionMethods), parameters: place }],
    [`${collection}/{name}`, { ...operations(resource, itemMethods), parameters: ofItem }],
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

function operationsOf(
  dialect: PathDialect,
  resource: ServedResource,
  part: Subresource | ServedResource,
  methods: Methods,
): PathItem {
  const isPosted = part !== resource && part.verbs.includes("create");
  const own = isPosted ? { ...methods, post: "create" } : methods;
  const entries = Object.entries(own).filter(([, verb]) => part.verbs.includes(verb));
  return Object.fromEntries(
    entries.map(([method, verb]) => [method, dialect.operation(factsOf(resource, part, verb))]),
  );
}

const actions: Readonly<Record<string, string>> = { create: "post", update: "put" };

function factsOf(resource: ServedResource, part: Subresource | ServedResource, verb: string): OperationFacts {
  const group = part.group ?? resource.group;
  const version = part.version ?? resource.version;
  return {
    isCustom: resource.isCustom,
    verb,
    sent: publishedName(resource, group, version, part.kind),
    response: publishedName(resource, group, version, verb === "list" ? resource.listKind : part.kind),
    extensions: {
      "x-kubernetes-action": actions[verb] ?? verb,
      "x-kubernetes-group-version-kind": { group, version, kind: part.kind },
    },
  };
}

const openApi3: PathDialect = {
  operation: (facts) => ({
    parameters: queryParametersOf(facts.verb).map(({ name, type }) => ({
      name,
      in: "query",
      schema: { type, uniqueItems: true },
    })),
    ...requestBody(facts),
    responses: {
      "200": { description: "OK", content: { "application/json": { schema: schemaOf(facts.response) } } },
    },
    ...facts.extensions,
  }),
  pathParameter: (name) => ({
    name,
    in: "path",
    required: true,
    schema: { type: "string", uniqueItems: true },
  }),
};

function schemaOf(name: string | undefined): object {
  return name === undefined ? { type: "string" } : schemaReference(name);
}

/** The media types of a patch. */
export function patchTypes(isCustom: boolean): readonly string[] {
  const types = ["apply-patch+yaml", "json-patch+json", "merge-patch+json"];
  const all = isCustom ? types : [...types, "strategic-merge-patch+json"];
  return all.map((type) => `application/${type}`);
}

function requestBody({ verb, isCustom, sent }: OperationFacts): object {
  if (verb === "patch") {
    const patch = { schema: schemaReference(patchSchema) };
    return {
      requestBody: {
        content: Object.fromEntries(patchTypes(isCustom).map((type) => [type, patch])),
        required: true,
      },
    };
  }
  const hasBody = verb === "create" || verb === "update";
  return hasBody ? { requestBody: { content: { "*/*": { schema: schemaOf(sent) } }, required: true } } : {};
}

export const patchSchema = "io.k8s.apimachinery.pkg.apis.meta.v1.Patch";

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

export function queryParametersOf(verb: string): readonly { readonly name: string; readonly type: string }[] {
  return (queryParameters[verb] ?? []).map((name) => ({ name, type: parameterTypes[name] ?? "string" }));
}
