import type { GenericObject } from "@keelson/core";
import type { MutableObject } from "../resource/mutable-object.ts";
import type { ServedResource, Subresource } from "../resource/served-resource.ts";
import { builtinSchema } from "./builtin-schemas.ts";
import { builtinStrategyOf } from "./builtin-strategies.ts";
import { columnsOf } from "./columns/columns.ts";
import { convertEvent } from "./events/event.ts";
import { resources } from "./generated/discovery.ts";
import { convertAutoscaler } from "./scaling/autoscaler.ts";
import { selectableFieldsOf } from "./selectable-fields.ts";

/** What discovery and the schemas contain about a built-in resource; the rest of ServedResource is code. */
export type BuiltinFacts = Pick<
  ServedResource,
  | "group"
  | "version"
  | "kind"
  | "listKind"
  | "plural"
  | "singular"
  | "scope"
  | "shortNames"
  | "categories"
  | "verbs"
  | "collection"
  | "storageVersion"
  | "schema"
  | "subresources"
  | "isCustom"
  | "prunesUnknownFields"
  | "storageVersionHash"
>;

interface Discovered {
  readonly name: string;
  readonly singularName: string;
  readonly namespaced: boolean;
  readonly group?: string;
  readonly version?: string;
  readonly kind: string;
  readonly verbs: readonly string[];
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly storageVersionHash?: string;
}

let facts: readonly BuiltinFacts[] | undefined;

/** All built-in resources with a path of their own, in the order of their groups, versions and plurals. */
export function builtinResourceFacts(): readonly BuiltinFacts[] {
  facts ??= readFacts(JSON.parse(resources));
  return facts;
}

function readFacts(discovered: Readonly<Record<string, Discovered>>): readonly BuiltinFacts[] {
  const entries = Object.entries(discovered).map(([key, resource]) => {
    const [group = "", version = "", plural = "", subresource] = key.split("/");
    return { group, version, plural, subresource, resource };
  });
  const subresources = Map.groupBy(
    entries.filter(({ subresource }) => subresource !== undefined),
    ({ group, version, plural }) => `${group}/${version}/${plural}`,
  );
  return entries
    .filter(({ subresource }) => subresource === undefined)
    .map(({ group, version, plural, resource }) => {
      const below = subresources.get(`${group}/${version}/${plural}`) ?? [];
      const parts = below.map(({ subresource = "", resource: part }): [string, Subresource] => [
        subresource,
        subresourceOf(subresource, part),
      ]);
      return factsOf({ group, version }, resource, new Map(parts));
    });
}

function factsOf(
  { group, version }: { readonly group: string; readonly version: string },
  resource: Discovered,
  subresources: ReadonlyMap<string, Subresource>,
): BuiltinFacts {
  const { name, kind, singularName, namespaced, verbs, shortNames, categories, storageVersionHash } =
    resource;
  const schema = builtinSchema(group, version, kind);
  if (schema === undefined)
    throw new Error(`read the facts of ${group}/${version} ${kind}: it has no schema`);
  return {
    group,
    version,
    kind,
    listKind: `${kind}List`,
    plural: name,
    singular: singularName,
    scope: namespaced ? "Namespaced" : "Cluster",
    shortNames: shortNames ?? [],
    categories: categories ?? [],
    verbs,
    ...storageOf(group, version, name),
    schema,
    subresources,
    isCustom: false,
    prunesUnknownFields: true,
    ...(storageVersionHash === undefined ? {} : { storageVersionHash }),
  };
}

/** Kinds that two groups or versions serve are stored once. */
function storageOf(
  group: string,
  version: string,
  plural: string,
): Pick<BuiltinFacts, "collection" | "storageVersion"> {
  if (group === "events.k8s.io") return { collection: "events", storageVersion: "v1" };
  const collection = group === "" ? plural : `${plural}.${group}`;
  return { collection, storageVersion: group === "autoscaling" ? "v2" : version };
}

function subresourceOf(name: string, part: Discovered): Subresource {
  const { kind, verbs, group, version } = part;
  return {
    name,
    verbs,
    kind,
    ...(group === undefined ? {} : { group }),
    ...(version === undefined ? {} : { version }),
    ...(name === "scale" ? { scale: scalePaths } : {}),
  };
}

const scalePaths = {
  specReplicasPath: ".spec.replicas",
  statusReplicasPath: ".status.replicas",
  labelSelectorPath: ".spec.selector",
};

/** Of the core group. */
const deprecations: ReadonlyMap<string, string> = new Map([
  ["ComponentStatus", "v1 ComponentStatus is deprecated in v1.19+"],
  ["Endpoints", "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice"],
]);

let served: readonly ServedResource[] | undefined;

/**
 * The resources that a server has without any CustomResourceDefinition: what discovery says about each kind, and how it
 * behaves.
 */
export function builtinServedResources(): readonly ServedResource[] {
  served ??= builtinResourceFacts().map(servedResource);
  return served;
}

function servedResource(facts: BuiltinFacts): ServedResource {
  const { group, version, kind, subresources } = facts;
  const { paths, read } = selectableFieldsOf(group, kind);
  const convertOne = conversionOf(facts);
  const deprecationWarning = group === "" ? deprecations.get(kind) : undefined;
  return {
    ...facts,
    strategy: builtinStrategyOf(group, version, kind, subresources.has("status")),
    columns: columnsOf(group, kind),
    selectableFields: paths,
    ...(read === undefined ? {} : { selectField: read }),
    ...(deprecationWarning === undefined ? {} : { deprecationWarning }),
    ...(convertOne === undefined
      ? {}
      : { convert: (objects) => Promise.resolve(objects.map((object) => convertOne(object))) }),
  };
}

/**
 * Of the forms that are not the stored one: events of `events.k8s.io`, and autoscalers of `autoscaling/v1`. An object
 * in the stored form is brought to this one, an object in this form to the stored one.
 */
function conversionOf({
  group,
  version,
  kind,
}: BuiltinFacts): ((object: GenericObject) => MutableObject) | undefined {
  if (group === "events.k8s.io" && kind === "Event") return convertEvent;
  if (group === "autoscaling" && version === "v1" && kind === "HorizontalPodAutoscaler")
    return convertAutoscaler;
  return undefined;
}
