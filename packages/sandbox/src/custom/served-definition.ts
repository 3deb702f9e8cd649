import { apiVersionOf, type GenericObject } from "@keelson/core";
import {
  compareVersions,
  type ScalePaths,
  type ServedResource,
  type Subresource,
} from "../resource/served-resource.ts";
import type { FieldSchema } from "../schema/field-schema.ts";
import { type ConversionTools, webhookConverter } from "./conversion-webhook.ts";
import { customStrategy } from "./custom-strategy.ts";
import {
  type Definition,
  type DefinitionVersion,
  fieldSchemaOf,
  hasCondition,
} from "./definition/definition.ts";
import { parseJsonPath } from "./json-path.ts";
import { printerColumns } from "./printer-columns.ts";

/** In the order of discovery. */
const verbs = ["delete", "deletecollection", "get", "list", "patch", "create", "update", "watch"];

/** What an established definition makes the server serve: one resource for each served version. */
export function servedResources(definition: Definition, tools: ConversionTools): readonly ServedResource[] {
  const { spec } = definition;
  const storage = spec.versions.find((version) => version.storage);
  if (storage === undefined) return [];
  const schemas = new Map(
    spec.versions.map((version) => [
      apiVersionOf({ group: spec.group, version: version.name }),
      schemaOf(version),
    ]),
  );
  return spec.versions
    .filter((version) => version.served)
    .map((version) => servedVersion(definition, version, { storage: storage.name, schemas }, tools));
}

interface Versions {
  readonly storage: string;
  readonly schemas: ReadonlyMap<string, FieldSchema>;
}

function servedVersion(
  definition: Definition,
  version: DefinitionVersion,
  { storage, schemas }: Versions,
  tools: ConversionTools,
): ServedResource {
  const { spec, status, metadata } = definition;
  const names = status?.acceptedNames ?? spec.names;
  const { group } = spec;
  const { plural, kind } = names;
  const schema = schemaOf(version);
  const scale = scaleOf(version);
  const webhook = spec.conversion?.strategy === "Webhook" ? spec.conversion.webhook : undefined;
  return {
    group,
    version: version.name,
    kind,
    listKind: names.listKind ?? `${kind}List`,
    plural,
    singular: names.singular ?? kind.toLowerCase(),
    scope: spec.scope === "Cluster" ? "Cluster" : "Namespaced",
    shortNames: names.shortNames ?? [],
    categories: names.categories ?? [],
    verbs,
    collection: `${plural}.${group}`,
    storageVersion: storage,
    schema,
    schemas,
    subresources: subresourcesOf(version, kind, scale),
    strategy: customStrategy({
      group,
      plural,
      schema,
      ...(scale === undefined ? {} : { scale }),
      isTerminating: hasCondition(definition, "Terminating"),
    }),
    columns: printerColumns(version.additionalPrinterColumns),
    ...selectionOf(version),
    isCustom: true,
    // The generation counts changes of the spec; accepted names may change without one.
    definedBy: JSON.stringify([metadata.uid, metadata.generation, status?.acceptedNames]),
    prunesUnknownFields: spec.preserveUnknownFields !== true,
    ...(webhook === undefined ? {} : { convert: webhookConverter(webhook, group, tools) }),
    ...deprecationOf(definition, version),
  };
}

const anything: FieldSchema = { type: "object", "x-kubernetes-preserve-unknown-fields": true };

function schemaOf({ schema }: DefinitionVersion): FieldSchema {
  return schema?.openAPIV3Schema === undefined ? anything : fieldSchemaOf(schema.openAPIV3Schema);
}

function scaleOf({ subresources }: DefinitionVersion): ScalePaths | undefined {
  if (subresources?.scale === undefined) return undefined;
  const { specReplicasPath, statusReplicasPath, labelSelectorPath } = subresources.scale;
  const selector = labelSelectorPath === undefined || labelSelectorPath === "" ? {} : { labelSelectorPath };
  return { specReplicasPath, statusReplicasPath, ...selector };
}

function subresourcesOf(
  { subresources }: DefinitionVersion,
  kind: string,
  scale: ScalePaths | undefined,
): ReadonlyMap<string, Subresource> {
  const parts = new Map<string, Subresource>();
  const partVerbs = ["get", "patch", "update"];
  if (subresources?.status !== undefined) parts.set("status", { name: "status", verbs: partVerbs, kind });
  if (scale !== undefined) {
    parts.set("scale", {
      name: "scale",
      verbs: partVerbs,
      kind: "Scale",
      group: "autoscaling",
      version: "v1",
      scale,
    });
  }
  return parts;
}

/** Field selectors name the paths without their dot. */
function selectionOf({
  selectableFields = [],
}: DefinitionVersion): Pick<ServedResource, "selectableFields" | "selectField"> {
  const paths = new Map(
    selectableFields.map(({ jsonPath }) => [jsonPath.replace(/^\./, ""), parseJsonPath(jsonPath)]),
  );
  if (paths.size === 0) return { selectableFields: [] };
  const selectField = (object: GenericObject, path: string): string => {
    const [value] = paths.get(path)?.(object) ?? [];
    return value === undefined || value === null ? "" : String(value);
  };
  return { selectableFields: [...paths.keys()], selectField };
}

function deprecationOf(
  { spec }: Definition,
  { name, deprecated = false, deprecationWarning }: DefinitionVersion,
): Pick<ServedResource, "deprecationWarning"> {
  if (!deprecated) return {};
  if (deprecationWarning !== undefined) return { deprecationWarning };
  const { group, names } = spec;
  const newer = spec.versions
    .filter((one) => one.served && one.deprecated !== true && compareVersions(one.name, name) < 0)
    .map((one) => one.name)
    .sort(compareVersions)
    .at(0);
  const use = newer === undefined ? "" : `; use ${group}/${newer} ${names.kind}`;
  return { deprecationWarning: `${group}/${name} ${names.kind} is deprecated${use}` };
}
