import { type FieldProblem, invalidValue, required } from "../status/field-problem.ts";
import type { FieldSchema } from "./field-schema.ts";
import { isJsonObject, type JsonObject } from "./json-kind.ts";
import { additionalSchema } from "./schema-of-field.ts";

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
