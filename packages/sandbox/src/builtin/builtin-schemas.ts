import type { FieldSchema } from "../schema/field-schema.ts";
import { alwaysWritten, leftOutWhenEmpty, optionalScalars } from "./field-presence.ts";
import { schemaModules } from "./generated/schema-modules.ts";

/**
 * The schema of a built-in kind at a version, with its references resolved; undefined if there is none. Kinds without a
 * path of their own (Scale, Eviction, DeleteOptions, Status) have one too. The same question gives the same object.
 */
export function builtinSchema(group: string, version: string, kind: string): FieldSchema | undefined {
  const name = rawSchemaName(group, version, kind);
  return name === undefined ? undefined : linkedSchema(name);
}

/** A schema whose parts are not all linked yet. */
type Unfinished = { -readonly [Field in keyof FieldSchema]: FieldSchema[Field] };

const linked = new Map<string, FieldSchema>();

function linkedSchema(name: string): FieldSchema {
  const known = linked.get(name);
  if (known !== undefined) return known;
  const raw = rawForms[name] ?? rawSchema(name);
  if (raw === undefined) throw new Error(`link schema ${name}: there is no such built-in type`);
  const typeName = name.split(".").slice(-2).join(".");
  const schema: Unfinished = { ...plainFields(raw), ...extraFields(raw, typeName), typeName };
  // Registered before its parts, because they may refer back to it; a copy then shares the map of properties.
  const properties: Record<string, FieldSchema> = {};
  if (raw.properties !== undefined) schema.properties = properties;
  linked.set(name, schema);
  linkParts(schema, raw);
  const presence = presenceOf(name);
  for (const [field, part] of Object.entries(raw.properties ?? {})) {
    const property = linkedPart(part);
    const flags = presence.get(field);
    properties[field] = flags === undefined ? property : { ...property, ...flags };
  }
  return schema;
}

function linkedPart(raw: RawSchema): FieldSchema {
  if (raw.$ref !== undefined) {
    const target = linkedSchema(raw.$ref);
    // Many references add nothing, and share the target.
    return Object.keys(raw).length === 1 ? target : { ...target, ...plainFields(raw) };
  }
  if (isScalar(raw)) return raw;
  const schema: Unfinished = { ...plainFields(raw), ...extraFields(raw, undefined) };
  if (raw.properties !== undefined)
    schema.properties = Object.fromEntries(
      Object.entries(raw.properties).map(([field, part]) => [field, linkedPart(part)]),
    );
  linkParts(schema, raw);
  return schema;
}

/** Scalars hold nothing that must be linked. */
function isScalar(raw: RawSchema): raw is RawSchema & FieldSchema {
  return raw.type !== undefined && raw.type !== "object" && raw.type !== "array" && raw.oneOf === undefined;
}

function linkParts(schema: Unfinished, raw: RawSchema): void {
  if (raw.items !== undefined) schema.items = linkedPart(raw.items);
  if (raw.additionalProperties !== undefined)
    schema.additionalProperties = linkedPart(raw.additionalProperties);
  if (raw.oneOf !== undefined) schema.oneOf = raw.oneOf.map(linkedPart);
}

/**
 * The server stores the kinds of these groups as JSON, which distinguishes an empty list from none; it stores all other
 * kinds as protobuf.
 */
const storedAsJson: ReadonlySet<string> = new Set(["apiextensions", "apiregistration"]);

/** Which fields of a type are kept though they are empty. */
function presenceOf(name: string): ReadonlyMap<string, FieldSchema> {
  const [type, version, group] = name.split(".").reverse();
  const key = `${group}/${version}.${type}`;
  const words = (text: string | undefined): readonly string[] => text?.split(" ") ?? [];
  const presence = new Map<string, FieldSchema>();
  for (const field of words(optionalScalars[key])) presence.set(field, { keepsEmpty: true });
  const always = { isAlwaysWritten: true, ...(storedAsJson.has(group ?? "") && { keepsEmpty: true }) };
  for (const field of words(alwaysWritten[key])) presence.set(field, always);
  for (const field of words(leftOutWhenEmpty[key]))
    presence.set(field, { default: undefined, keepsEmpty: false });
  return presence;
}

/** The fields that hold no schemas. */
function plainFields(raw: RawSchema): FieldSchema {
  const {
    $ref: _ref,
    properties: _properties,
    additionalProperties: _additional,
    items: _items,
    oneOf: _oneOf,
    "x-kubernetes-group-version-kind": _kinds,
    ...plain
  } = raw;
  // The generator keeps only what FieldSchema has.
  return plain as FieldSchema;
}

/** What the published schemas leave unsaid of types that write their own JSON. */
function extraFields(raw: RawSchema, typeName: string | undefined): FieldSchema {
  if (raw.format === "int-or-string" || typeName === "resource.Quantity")
    return { "x-kubernetes-int-or-string": true };
  const isFree = raw.properties === undefined && raw.additionalProperties === undefined;
  const isUntyped = raw.type === undefined && raw.oneOf === undefined;
  return isFree && (raw.type === "object" || isUntyped)
    ? { "x-kubernetes-preserve-unknown-fields": true }
    : {};
}

const jsonSchema = "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps";

/** Types of which the published schema says nothing, though they have fields. */
const rawForms: Readonly<Record<string, RawSchema>> = {
  [`${jsonSchema}OrArray`]: { oneOf: [{ $ref: jsonSchema }, { type: "array", items: { $ref: jsonSchema } }] },
  [`${jsonSchema}OrBool`]: { oneOf: [{ $ref: jsonSchema }, { type: "boolean" }] },
  [`${jsonSchema}OrStringArray`]: {
    oneOf: [{ $ref: jsonSchema }, { type: "array", items: { type: "string" } }],
  },
};

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

/**
 * The schemas of a module such as `apps/v1`, by full name. Parsed on first use; empty for a module that does not exist.
 */
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
