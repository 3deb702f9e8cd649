import type { Schema, SchemaKind } from "./schema.ts";
import { type TypeScope, typeText } from "./type-text.ts";

/** A resource of the server as a value: what core calls a Resource. */
export interface ServedKind extends SchemaKind {
  readonly plural: string;
  readonly scope: "Namespaced" | "Cluster";
}

/**
 * The type of core for the metadata of a kind's objects, which shows their scope, or that they are not stored; undefined
 * for objects that are stored in no place of their own, such as a Scale.
 */
export function metaTypeOf(kind: ServedKind | undefined, isStored: boolean): string | undefined {
  if (!isStored) return "UnstoredMeta";
  if (kind === undefined) return undefined;
  return kind.scope === "Namespaced" ? "NamespacedMeta" : "ClusterMeta";
}

/**
 * The interface of a schema that has properties. An object with a kind of its own, and a list of such, names which it
 * is: its `apiVersion` and `kind` are literals, and both are required like its `metadata`, since the server always
 * returns all three although its OpenAPI does not promise it. `metaType` is the type of its metadata where that is not the schema's.
 */
export function interfaceText(name: string, schema: Schema, scope: TypeScope, metaType?: string): string {
  const identity = identityOf(schema, metaType);
  const properties = Object.entries(schema.properties ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
  const lines = properties.map(([property, type]) => {
    const isRequired = schema.required?.includes(property) || (identity && property in identity);
    const text = identity?.[property] ?? propertyText(`${name}.${property}`, type, scope);
    return `  readonly ${propertyName(property)}${isRequired ? "" : "?"}: ${text};\n`;
  });
  return `export interface ${name} {\n${lines.join("")}}\n`;
}

/** The value of a kind, which has the name of its interface, so that one import brings both. */
export function valueText(kind: SchemaKind | ServedKind, valueType: string): string {
  const place = "plural" in kind ? { plural: kind.plural, scope: kind.scope } : {};
  const fields = Object.entries({ group: kind.group, version: kind.version, kind: kind.kind, ...place });
  const lines = fields.map(([field, value]) => `  ${field}: ${JSON.stringify(value)},\n`);
  return `export const ${kind.kind}: ${valueType}<${kind.kind}> = {\n${lines.join("")}};\n`;
}

/** The kind of a schema that describes objects: it has one kind and metadata, and is not a list. */
export function objectKindOf(schema: Schema): SchemaKind | undefined {
  const [kind, ...more] = schema["x-kubernetes-group-version-kind"] ?? [];
  const { metadata, items } = schema.properties ?? {};
  return more.length > 0 || metadata === undefined || items !== undefined ? undefined : kind;
}

/** Types of the properties that identify the object; undefined where the type is the schema's. */
function identityOf(
  schema: Schema,
  metaType: string | undefined,
): Readonly<Record<string, string | undefined>> | undefined {
  const [kind, ...more] = schema["x-kubernetes-group-version-kind"] ?? [];
  // What belongs to every group, such as DeleteOptions, has a kind in each of them and needs to name none.
  if (kind === undefined || more.length > 0) return undefined;
  const apiVersion = kind.group === "" ? kind.version : `${kind.group}/${kind.version}`;
  return {
    apiVersion: JSON.stringify(apiVersion),
    kind: JSON.stringify(kind.kind),
    metadata: metaType,
  };
}

function propertyText(path: string, schema: Schema, scope: TypeScope): string {
  try {
    return typeText(schema, scope);
  } catch (cause) {
    throw new Error(`translate ${path}: its schema has no type in TypeScript`, { cause });
  }
}

function propertyName(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
}
