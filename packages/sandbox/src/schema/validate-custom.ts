import { deepEqual, formatJson, sortFields } from "@keelson/core";
import { duplicateValue, type FieldProblem, invalidValue, required } from "../status/field-problem.ts";
import { additionalSchema, type FieldSchema } from "./field-schema.ts";
import { isJsonObject, type JsonObject } from "./json-document.ts";

/** Elements that a list of type `set` or `map` has twice, each at the place where it is repeated first. */
export function listKeyProblems(
  value: unknown,
  schema: FieldSchema | undefined,
  field: string,
): readonly FieldProblem[] {
  if (schema === undefined) return [];
  if (Array.isArray(value)) {
    const inner = value.flatMap((item, index) => listKeyProblems(item, schema.items, `${field}[${index}]`));
    return [...repeated(value, schema, field), ...inner];
  }
  if (!isJsonObject(value)) return [];
  return Object.entries(value).flatMap(([name, inner]) => {
    const property = Object.hasOwn(schema.properties ?? {}, name) ? schema.properties?.[name] : undefined;
    if (property !== undefined)
      return listKeyProblems(inner, property, field === "" ? name : `${field}.${name}`);
    return listKeyProblems(inner, additionalSchema(schema), `${field}[${name}]`);
  });
}

function repeated(list: readonly unknown[], schema: FieldSchema, field: string): readonly FieldProblem[] {
  const type = schema["x-kubernetes-list-type"];
  if (type !== "set" && type !== "map") return [];
  const identities = type === "set" ? list : list.map((item) => keysOf(item, schema));
  const counts = new Map<string, number>();
  const problems: FieldProblem[] = [];
  for (const [index, identity] of identities.entries()) {
    if (identity === undefined) continue;
    const text = formatJson(sortFields(identity));
    const count = (counts.get(text) ?? 0) + 1;
    counts.set(text, count);
    if (count === 2) problems.push(duplicateValue(`${field}[${index}]`, identity));
  }
  return problems;
}

/** The values of the keys that identify an element of a list of type `map`. */
function keysOf(item: unknown, schema: FieldSchema): unknown {
  if (!isJsonObject(item)) return undefined;
  const keys = (schema["x-kubernetes-list-map-keys"] ?? []).filter((key) => item[key] !== undefined).sort();
  return Object.fromEntries(keys.map((key) => [key, item[key]]));
}

/** The element of an older list that is the same one; of lists without keys nothing is known to be. */
export function correlatedItem(item: unknown, old: unknown, schema: FieldSchema): unknown {
  if (schema["x-kubernetes-list-type"] !== "map" || !Array.isArray(old)) return undefined;
  const keys = keysOf(item, schema);
  return old.find((one) => deepEqual(keysOf(one, schema), keys));
}

/** What is wrong with the `apiVersion` and `kind` of resources that are embedded in a custom one. */
export function embeddedResourceProblems(
  value: unknown,
  schema: FieldSchema | undefined,
  field: string,
): readonly FieldProblem[] {
  if (schema === undefined) return [];
  if (Array.isArray(value))
    return value.flatMap((item, index) => embeddedResourceProblems(item, schema.items, `${field}[${index}]`));
  if (!isJsonObject(value)) return [];
  const own = schema["x-kubernetes-embedded-resource"] === true ? typeProblems(value, field) : [];
  const inner = Object.entries(value).flatMap(([name, part]) => {
    const property = Object.hasOwn(schema.properties ?? {}, name) ? schema.properties?.[name] : undefined;
    if (property !== undefined)
      return embeddedResourceProblems(part, property, field === "" ? name : `${field}.${name}`);
    return embeddedResourceProblems(part, additionalSchema(schema), `${field}[${name}]`);
  });
  return [...own, ...inner];
}

function typeProblems(resource: JsonObject, field: string): readonly FieldProblem[] {
  return (["apiVersion", "kind"] as const).flatMap((name) => {
    const path = `${field}.${name}`;
    const value = resource[name];
    if (value === undefined) return [required(path)];
    if (typeof value !== "string") return [invalidValue(path, value, "must be a string")];
    if (value === "") return [invalidValue(path, value, "must not be empty")];
    return name === "kind" ? kindProblems(path, value) : versionProblems(path, value);
  });
}

function versionProblems(path: string, value: string): readonly FieldProblem[] {
  const isWrong = value.split("/").length > 2;
  return isWrong ? [invalidValue(path, value, `unexpected GroupVersion string: ${value}`)] : [];
}

function kindProblems(path: string, value: string): readonly FieldProblem[] {
  if (/^[a-z]([-a-z0-9]*[a-z0-9])?$/.test(value.toLowerCase()) && value.length <= 63) return [];
  const rule =
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic " +
    "character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is " +
    "'[a-z]([-a-z0-9]*[a-z0-9])?')";
  return [invalidValue(path, value, `may have mixed case, but should otherwise match: ${rule}`)];
}
