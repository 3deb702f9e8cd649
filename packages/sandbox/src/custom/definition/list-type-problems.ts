import type { JSONSchemaProps } from "@keelson/core/kinds/apiextensions/v1";
import {
  type FieldProblem,
  forbiddenField,
  invalidValue,
  notSupported,
  required,
} from "../../status/field-problem.ts";

const listTypes = ["atomic", "set", "map"];

/** The problems of the list type and the map keys of a schema. */
export function listTypeProblems(schema: JSONSchemaProps, path: string): readonly FieldProblem[] {
  const listType = schema["x-kubernetes-list-type"];
  const keys = schema["x-kubernetes-list-map-keys"] ?? [];
  const problems: FieldProblem[] = [...typeProblems(schema, path)];
  if (listType !== undefined && !listTypes.includes(listType)) {
    problems.push(notSupported(`${path}.x-kubernetes-list-type`, listType, listTypes));
  }
  if (keys.length > 0 && listType !== "map") {
    const [field, detail] = [
      `${path}.x-kubernetes-list-type`,
      "must be map if x-kubernetes-list-map-keys is non-empty",
    ];
    problems.push(listType === undefined ? required(field, detail) : invalidValue(field, listType, detail));
  }
  if (listType === "map") problems.push(...mapProblems(schema, path, keys));
  return [...problems, ...nullProblems(schema, path, keys)];
}

function itemsOf({ items }: JSONSchemaProps): JSONSchemaProps | undefined {
  return items === undefined || "length" in items ? undefined : items;
}

function typeProblems(schema: JSONSchemaProps, path: string): readonly FieldProblem[] {
  const { type = "", "x-kubernetes-list-type": listType } = schema;
  if (listType === undefined) return [];
  if (type !== "array") {
    const detail = "must be array if x-kubernetes-list-type is specified";
    return [type === "" ? required(`${path}.type`, detail) : invalidValue(`${path}.type`, type, detail)];
  }
  const items = itemsOf(schema);
  if (listType !== "set" || items === undefined) return [];
  const detail = "must be atomic as item of a list with x-kubernetes-list-type=set";
  const ofItems = items["x-kubernetes-list-type"] ?? null;
  if (items.type === "array" && ofItems !== null && ofItems !== "atomic") {
    return [invalidValue(`${path}.items.x-kubernetes-list-type`, ofItems, detail)];
  }
  if (items.type === "object" && items["x-kubernetes-map-type"] !== "atomic") {
    return [invalidValue(`${path}.items.x-kubernetes-map-type`, ofItems, detail)];
  }
  return [];
}

function mapProblems(
  schema: JSONSchemaProps,
  path: string,
  keys: readonly string[],
): readonly FieldProblem[] {
  const keysPath = `${path}.x-kubernetes-list-map-keys`;
  const problems: FieldProblem[] = [];
  if (keys.length === 0)
    problems.push(required(keysPath, "must not be empty if x-kubernetes-list-type is map"));
  if (schema.items === undefined) {
    problems.push(required(`${path}.items`, "must have a schema if x-kubernetes-list-type is map"));
  }
  const items = itemsOf(schema);
  if (items === undefined) return problems;
  if (items.type !== "object") {
    const detail = "must be object if parent array's x-kubernetes-list-type is map";
    return [...problems, invalidValue(`${path}.items.type`, items.type ?? "", detail)];
  }
  for (const [index, key] of keys.entries()) {
    const property = Object.hasOwn(items.properties ?? {}, key) ? items.properties?.[key] : undefined;
    if (property === undefined) {
      problems.push(invalidValue(keysPath, keys, "entries must all be names of item properties"));
    } else if (property.type === "array" || property.type === "object") {
      const detail = "must be a scalar type if parent array's x-kubernetes-list-type is map";
      problems.push(invalidValue(`${path}.items.properties[${key}].type`, items.type, detail));
    }
    if (keys.indexOf(key) !== index) {
      problems.push(invalidValue(keysPath, keys, "must not contain duplicate entries"));
    }
  }
  return problems;
}

/** Elements of a set or map may not be null, and the keys of a map must be required or have a default. */
function nullProblems(
  schema: JSONSchemaProps,
  path: string,
  keys: readonly string[],
): readonly FieldProblem[] {
  const listType = schema["x-kubernetes-list-type"];
  const items = itemsOf(schema);
  if (items === undefined || (listType !== "set" && listType !== "map")) return [];
  const problems: FieldProblem[] = [];
  if (items.nullable === true) {
    problems.push(
      forbiddenField(
        `${path}.items.nullable`,
        `cannot be nullable when x-kubernetes-list-type is ${listType}`,
      ),
    );
  }
  if (listType === "set") return problems;
  for (const key of keys) {
    const property = Object.hasOwn(items.properties ?? {}, key) ? items.properties?.[key] : undefined;
    if (property === undefined) continue;
    const place = `${path}.items.properties[${key}]`;
    if (!(items.required ?? []).includes(key) && property.default === undefined) {
      const detail =
        "this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property";
      problems.push(required(`${place}.default`, detail));
    }
    if (property.nullable === true) {
      const detail = "this property is in x-kubernetes-list-map-keys, so it cannot be nullable";
      problems.push(forbiddenField(`${place}.nullable`, detail));
    }
  }
  return problems;
}
