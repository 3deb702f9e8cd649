import { schemaModules } from "./generated/schema-modules.ts";

/** A schema of a built-in type as it was generated: references are names of other schemas. */
export interface RawSchema {
  readonly $ref?: string;
  readonly type?: string;
  readonly format?: string;
  readonly default?: unknown;
  readonly properties?: Readonly<Record<string, RawSchema>>;
  readonly additionalProperties?: RawSchema;
  readonly items?: RawSchema;
  readonly oneOf?: readonly RawSchema[];
  readonly "x-kubernetes-group-version-kind"?: readonly RawKind[];
  readonly [field: string]: unknown;
}

interface RawKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** Where types are that every group uses. */
const metaModule = "meta/v1";

const parsed = new Map<string, Readonly<Record<string, RawSchema>>>();

/** The schemas of a module such as `apps/v1`, by full name. Parsed when first asked for; there are none of others. */
function rawSchemasOf(module: string): Readonly<Record<string, RawSchema>> {
  const known = parsed.get(module);
  if (known !== undefined) return known;
  const schemas: Readonly<Record<string, RawSchema>> = JSON.parse(schemaModules.get(module) ?? "{}");
  parsed.set(module, schemas);
  return schemas;
}

/** The schema of a full name such as `io.k8s.api.apps.v1.Deployment`. */
export function rawSchema(name: string): RawSchema | undefined {
  if (name.startsWith("io.k8s.apimachinery.")) return rawSchemasOf(metaModule)[name];
  const [, version = "", group = ""] = name.split(".").reverse();
  return rawSchemasOf(`${group}/${version}`)[name];
}

/** The full name of a kind's schema; kinds that belong to no group, such as DeleteOptions, are found in every one. */
export function rawSchemaName(group: string, version: string, kind: string): string | undefined {
  const module = `${group === "" ? "core" : (group.split(".")[0] ?? "")}/${version}`;
  const own = nameIn(module, kind);
  const kinds = own === undefined ? [] : rawSchema(own)?.["x-kubernetes-group-version-kind"];
  if (own !== undefined && kinds?.some((one) => one.group === group && one.kind === kind)) return own;
  return schemaModules.has(module) ? nameIn(metaModule, kind) : undefined;
}

function nameIn(module: string, kind: string): string | undefined {
  return Object.keys(rawSchemasOf(module)).find((name) => name.endsWith(`.${kind}`));
}
