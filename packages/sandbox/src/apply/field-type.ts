import { typeNameOf } from "../patch/patch-meta.ts";
import type { FieldSchema } from "../schema/field-schema.ts";

/**
 * The forms in which a value can be owned. A value of unknown type can be any of the three: the value decides, and null
 * has the first form of the type, in the order map, scalar, list.
 */
export interface FieldType {
  readonly map?: MapType;
  readonly scalar?: ScalarType;
  readonly list?: ListType;
}

export type ScalarType = "string" | "numeric" | "boolean" | "untyped";

export interface ListType {
  /** Owned as a whole, by value, or by the keys of its elements. */
  readonly relation: "atomic" | "set" | "map";
  /** Sorted. */
  readonly keys: readonly string[];
  readonly element: FieldType;
  /** The default of a key in an element: `TCP` for the protocol of a port. */
  keyDefault(key: string): unknown;
}

export interface MapType {
  readonly isAtomic: boolean;
  /** Undefined for fields that the schema does not name. */
  declared(name: string): FieldType | undefined;
  /** The type of undeclared fields; undefined if they are not allowed. */
  readonly element: FieldType | undefined;
}

/** A value that is owned as a whole. */
export const untypedAtomic: FieldType = {
  scalar: "untyped",
  map: {
    isAtomic: true,
    declared: () => undefined,
    get element(): FieldType {
      return untypedAtomic;
    },
  },
  list: {
    relation: "atomic",
    keys: [],
    get element(): FieldType {
      return untypedAtomic;
    },
    keyDefault: () => undefined,
  },
};

/** So many maps of unknown type within each other are owned field by field: types are walked by recursion. */
const deepestDeduced = 300;

/** A value of unknown type: maps are owned field by field, lists as a whole, and so is what is nested very deeply. */
export const deduced: FieldType = deducedAt(0);

function deducedAt(depth: number): FieldType {
  let element: FieldType | undefined;
  return {
    scalar: "untyped",
    map: {
      isAtomic: false,
      declared: () => undefined,
      get element(): FieldType {
        element ??= depth < deepestDeduced ? deducedAt(depth + 1) : untypedAtomic;
        return element;
      },
    },
    list: untypedAtomic.list ?? never("a list"),
  };
}

function never(what: string): never {
  throw new TypeError(`there is always ${what}`);
}

/** The type of a field, also of an undeclared one. */
export function typeOfField(map: MapType, name: string): FieldType {
  return map.declared(name) ?? map.element ?? deduced;
}

const types = new WeakMap<FieldSchema, FieldType>();
const preservingTypes = new WeakMap<FieldSchema, FieldType>();

/**
 * The type of values of a schema. Made once for each schema, and only as deep as values go. Inside of a schema that
 * preserves unknown fields, all do.
 */
function typeOfSchema(schema: FieldSchema, preserves = false): FieldType {
  const known = preserves ? preservingTypes : types;
  const type = known.get(schema) ?? makeType(schema, preserves);
  known.set(schema, type);
  return type;
}

function makeType(schema: FieldSchema, inherited: boolean): FieldType {
  const target = referenced(schema);
  if (target !== undefined) {
    const mapType = schema["x-kubernetes-map-type"];
    return typeOfSchema(mapType === undefined ? target : { ...target, "x-kubernetes-map-type": mapType });
  }
  const typeName = typeNameOf(schema);
  if (typeName === "RawExtension") return untypedAtomic;
  if (typeName === "Quantity") return { scalar: "untyped" };
  const preserves = inherited || schema["x-kubernetes-preserve-unknown-fields"] === true;
  switch (schema.type) {
    case "object":
      return { map: mapOf(schema, preserves) };
    case "array":
      return { list: listOf(schema, preserves) };
    case "integer":
    case "number":
      return { scalar: "numeric" };
    case "boolean":
      return { scalar: "boolean" };
    case "string":
      return { scalar: (schema.format ?? "byte") === "byte" || schema.format === "" ? "string" : "untyped" };
    default:
      return { scalar: "untyped", list: listOf(schema, preserves), map: mapOf(schema, preserves) };
  }
}

/** A reference with keywords of its own is an `allOf` of one schema. */
function referenced(schema: FieldSchema): FieldSchema | undefined {
  const [only, ...more] = schema.allOf ?? [];
  const hasNoType =
    schema.type === undefined && schema.properties === undefined && schema.items === undefined;
  return hasNoType && more.length === 0 && isType(only) ? only : undefined;
}

function isType(schema: FieldSchema | undefined): schema is FieldSchema {
  return schema?.type !== undefined || schema?.properties !== undefined;
}

function mapOf(schema: FieldSchema, preserves: boolean): MapType {
  const properties = schema.properties ?? {};
  const fields = new Map<string, FieldType>(
    schema["x-kubernetes-embedded-resource"] === true ? Object.entries(objectFields) : [],
  );
  const rest = schema.additionalProperties;
  const isFree = rest === undefined && (preserves || Object.keys(properties).length === 0);
  return {
    isAtomic: schema["x-kubernetes-map-type"] === "atomic",
    declared(name): FieldType | undefined {
      const known = fields.get(name);
      if (known !== undefined) return known;
      const property = Object.hasOwn(properties, name) ? properties[name] : undefined;
      if (property === undefined) return undefined;
      const type = typeOfSchema(property, preserves);
      fields.set(name, type);
      return type;
    },
    get element(): FieldType | undefined {
      if (typeof rest === "object") return typeOfSchema(rest, preserves);
      return rest === true || isFree ? deduced : undefined;
    },
  };
}

function listOf(schema: FieldSchema, preserves: boolean): ListType {
  const items = schema.items;
  const keys = [...listKeys(schema)].sort();
  return {
    relation: listRelation(schema, keys),
    keys,
    get element(): FieldType {
      return items === undefined ? untypedAtomic : typeOfSchema(items, preserves);
    },
    keyDefault(key): unknown {
      const element = items === undefined ? undefined : (referenced(items) ?? items);
      const field = element?.properties?.[key];
      return field?.default;
    },
  };
}

function listRelation(schema: FieldSchema, keys: readonly string[]): ListType["relation"] {
  const listType = schema["x-kubernetes-list-type"];
  if (listType !== undefined) return listType;
  const merges = schema["x-kubernetes-patch-strategy"]?.split(",").includes("merge") === true;
  if (!merges) return "atomic";
  return keys.length === 0 ? "set" : "map";
}

function listKeys(schema: FieldSchema): readonly string[] {
  if (schema["x-kubernetes-list-type"] !== undefined) return schema["x-kubernetes-list-map-keys"] ?? [];
  const key = schema["x-kubernetes-patch-merge-key"];
  return key === undefined ? [] : [key];
}

/** The schema of metadata for all kinds; CustomResourceDefinitions do not describe it. */
const objectMeta: FieldSchema = {
  type: "object",
  properties: {
    name: { type: "string" },
    generateName: { type: "string" },
    namespace: { type: "string" },
    selfLink: { type: "string" },
    uid: { type: "string" },
    resourceVersion: { type: "string" },
    generation: { type: "integer" },
    creationTimestamp: { type: "string", format: "date-time" },
    deletionTimestamp: { type: "string", format: "date-time" },
    deletionGracePeriodSeconds: { type: "integer" },
    labels: { type: "object", additionalProperties: { type: "string" } },
    annotations: { type: "object", additionalProperties: { type: "string" } },
    ownerReferences: {
      type: "array",
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["uid"],
      items: {
        type: "object",
        "x-kubernetes-map-type": "atomic",
        properties: {
          apiVersion: { type: "string", default: "" },
          kind: { type: "string", default: "" },
          name: { type: "string", default: "" },
          uid: { type: "string", default: "" },
          controller: { type: "boolean" },
          blockOwnerDeletion: { type: "boolean" },
        },
      },
    },
    finalizers: { type: "array", "x-kubernetes-list-type": "set", items: { type: "string" } },
    managedFields: { type: "array", "x-kubernetes-list-type": "atomic", items: { type: "object" } },
  },
};

const objectFields: Readonly<Record<string, FieldType>> = {
  apiVersion: { scalar: "string" },
  kind: { scalar: "string" },
  metadata: typeOfSchema(objectMeta),
};

const objectTypes = new WeakMap<FieldSchema, FieldType>();

/** The type of whole objects of a kind. */
export function typeOfObject(schema: FieldSchema): FieldType {
  const known = objectTypes.get(schema);
  if (known !== undefined) return known;
  const { map } = typeOfSchema(schema);
  const fields = map ?? mapOf({ type: "object" }, true);
  const type: FieldType = {
    map: {
      isAtomic: false,
      declared: (name) => (Object.hasOwn(objectFields, name) ? objectFields[name] : fields.declared(name)),
      element: fields.element,
    },
  };
  objectTypes.set(schema, type);
  return type;
}
