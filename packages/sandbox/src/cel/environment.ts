import type { FieldSchema } from "../schema/field-schema.ts";
import { escapeName } from "./cel-value.ts";
import { authorizers } from "./functions/authorizer.ts";
import { conversions } from "./functions/conversions.ts";
import { network } from "./functions/ip.ts";
import { lists, sets } from "./functions/lists.ts";
import { namedFormats } from "./functions/named-formats.ts";
import { operators } from "./functions/operators.ts";
import { optionals } from "./functions/optionals.ts";
import { quantities } from "./functions/quantities.ts";
import { strings } from "./functions/strings.ts";
import { times } from "./functions/times.ts";
import { urls } from "./functions/urls.ts";
import { versions } from "./functions/versions.ts";
import {
  anyType,
  type CelType,
  dynType,
  listOf,
  mapOf,
  nullType,
  objectType,
  parameterType,
  scalars,
  typeOfType,
} from "./language/cel-type.ts";
import type { Declarations } from "./language/check-expression.ts";
import { type FunctionTable, functionTable } from "./language/function-table.ts";

/** All functions that expressions of Kubernetes have. */
const functions: FunctionTable = functionTable(
  operators,
  conversions,
  times,
  // Before those of texts: `indexOf` is looked for in lists first.
  lists,
  strings,
  sets,
  optionals,
  quantities,
  network,
  urls,
  namedFormats,
  versions,
  authorizers,
);

const { bool, bytes, double, duration, int, string, timestamp, uint } = scalars;

/** Types are values too. */
const types: readonly (readonly [string, CelType])[] = [
  ...Object.entries({ bool, bytes, double, int, string, uint, null_type: nullType }),
  ["google.protobuf.Duration", duration],
  ["google.protobuf.Timestamp", timestamp],
  ["list", listOf(parameterType("A"))],
  ["map", mapOf(parameterType("A"), parameterType("B"))],
];

const typeVariables: ReadonlyMap<string, CelType> = new Map([
  ...types.map(([name, type]) => [name, typeOfType(type)] as const),
  ["type", anyType],
]);

/** Variables of given types, and objects that they consist of. */
export function declare(
  variables: Readonly<Record<string, CelType>>,
  objects: Declarations["objects"] = new Map(),
): Declarations {
  return { functions, variables: new Map([...typeVariables, ...Object.entries(variables)]), objects };
}

type Objects = Map<string, ReadonlyMap<string, CelType>>;

/**
 * The type of values of a schema, with the objects in it. Undefined for values that expressions cannot see because
 * nothing is known of them.
 */
export function schemaType(
  schema: FieldSchema,
  isResource: boolean,
): { readonly type: CelType; readonly objects: Declarations["objects"] } | undefined {
  const objects: Objects = new Map();
  const type = declareType(objects, schema, "selfType", isResource);
  return type && { type, objects };
}

function declareType(
  objects: Objects,
  schema: FieldSchema,
  name: string,
  isResource: boolean,
): CelType | undefined {
  if (schema["x-kubernetes-int-or-string"] === true) return dynType;
  const isInner = (inner: FieldSchema): boolean => inner["x-kubernetes-embedded-resource"] === true;
  if (schema.type === "array") {
    const { items } = schema;
    const element = items && declareType(objects, items, `${name}.@idx`, isInner(items));
    return element && listOf(element);
  }
  if (schema.type === "object") {
    const { additionalProperties: values } = schema;
    if (typeof values !== "object") return declareObject(objects, schema, name, isResource);
    const value = declareType(objects, values, `${name}.@elem`, isInner(values));
    return value && mapOf(string, value);
  }
  return schema.type === undefined ? undefined : scalarType(schema.type, schema.format);
}

function scalarType(type: string, format: string | undefined): CelType | undefined {
  if (type === "integer") return int;
  if (type === "number") return double;
  if (type === "boolean") return bool;
  if (type !== "string") return undefined;
  if (format === "byte") return bytes;
  if (format === "date" || format === "date-time") return timestamp;
  return format === "duration" ? duration : string;
}

/** What rules see of every resource, whatever its schema says. */
const metadataFields: ReadonlyMap<string, CelType> = new Map([
  ["name", string],
  ["generateName", string],
]);

function declareObject(objects: Objects, schema: FieldSchema, name: string, isResource: boolean): CelType {
  const fields = new Map<string, CelType>();
  for (const [property, inner] of Object.entries(schema.properties ?? {})) {
    const escaped = escapeName(property);
    if (escaped === undefined || (isResource && property === "metadata")) continue;
    const isInner = inner["x-kubernetes-embedded-resource"] === true;
    const type = declareType(objects, inner, `${name}.${escaped}`, isInner);
    if (type !== undefined) fields.set(escaped, type);
  }
  if (isResource) {
    objects.set(`${name}.metadata`, metadataFields);
    for (const field of ["apiVersion", "kind"]) fields.set(field, string);
    fields.set("metadata", objectType(`${name}.metadata`));
  }
  objects.set(name, fields);
  return objectType(name);
}
