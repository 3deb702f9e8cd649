import type { ValidationRule } from "@keelson/core/kinds/apiextensions/v1";
import type { SchemaPosition } from "./schema-position.ts";
import type { StructuralSchema } from "./structural-schema.ts";

/**
 * Reports what the API server would refuse in a schema that is structural otherwise: rules and list types that do not
 * fit the values they are on. It does not compile CEL; the server does that when the definition is created.
 */
export function checkStructuralSchema(node: StructuralSchema, at: SchemaPosition): void {
  check(node, at, true);
}

/** `correlatable`: whether the server knows which old value a value replaces, which it cannot inside of most lists. */
function check(node: StructuralSchema, at: SchemaPosition, correlatable: boolean): void {
  const rules = node["x-kubernetes-validations"] ?? [];
  for (const rule of rules) checkRule(rule, at, correlatable);
  if (rules.length > 0 && !hasCelType(node)) {
    at.report(
      `has the rule ${rules[0]?.rule}, and CEL has no type for z.unknown()`,
      "describe its shape, if only with z.looseObject({}), or leave out the rule",
    );
  }
  checkListType(node, at);
  checkMapType(node, at);
  const isGranular = node["x-kubernetes-map-type"] !== "atomic";
  for (const [name, field] of Object.entries(node.properties ?? {})) {
    check(field, at.field(name), correlatable && isGranular);
  }
  if (typeof node.additionalProperties === "object") {
    check(node.additionalProperties, at.values(), correlatable && isGranular);
  }
  const hasKeys = node["x-kubernetes-list-type"] === "map";
  if (node.items !== undefined) check(node.items, at.items(), correlatable && hasKeys);
}

/** CEL leaves out fields of unknown type, but lists and maps are of no type if what they hold is not. */
function hasCelType(node: StructuralSchema): boolean {
  if (node.items !== undefined) return hasCelType(node.items);
  if (typeof node.additionalProperties === "object") return hasCelType(node.additionalProperties);
  return node.type !== undefined || node["x-kubernetes-int-or-string"] === true;
}

function checkRule(
  { rule, message, optionalOldSelf, fieldPath }: ValidationRule,
  at: SchemaPosition,
  correlatable: boolean,
): void {
  const isTransition = /\boldSelf\b/.test(rule);
  if (rule.trim() === "") at.report("has an empty rule", "give it a CEL expression");
  if (message !== undefined && (message.trim() === "" || message.includes("\n"))) {
    at.report(`has a rule whose message is not one line: ${JSON.stringify(message)}`, "write one line");
  }
  if (message === undefined && rule.trim().includes("\n")) {
    at.report("has a rule of several lines without a message", "give it a message");
  }
  if (isTransition && !correlatable) {
    at.report(
      `has the rule ${rule}, and the server does not know which old value a value of an atomic list, a set or an atomic map replaces`,
      "make the list a listMap(), or put the rule on the list",
    );
  }
  if (optionalOldSelf !== undefined && !isTransition) {
    at.report(
      `has the rule ${rule} with optionalOldSelf, but it does not use oldSelf`,
      "leave out optionalOldSelf",
    );
  }
  if (fieldPath !== undefined && !/^(\.|\[')/.test(fieldPath)) {
    at.report(`has a rule whose fieldPath is ${fieldPath}`, "start it with a dot, as in .spec.image");
  }
}

function checkListType(node: StructuralSchema, at: SchemaPosition): void {
  const listType = node["x-kubernetes-list-type"];
  if (listType === undefined) return;
  if (node.type !== "array") {
    at.report("has a list type and is no list", "use it on z.array()");
    return;
  }
  const { items } = node;
  if (listType === "atomic" || items === undefined) return;
  if (items.nullable === true)
    at.report(`is a ${listType} of elements that may be null`, "leave out .nullable()");
  if (listType === "map") checkKeys(node["x-kubernetes-list-map-keys"] ?? [], items, at);
  const isWhole =
    items.type === "array"
      ? (items["x-kubernetes-list-type"] ?? "atomic") === "atomic"
      : items.type !== "object" || items["x-kubernetes-map-type"] === "atomic";
  if (listType === "set" && !isWhole) {
    at.report("is a set whose elements could be merged", "use atomic() on the element");
  }
}

function checkMapType(node: StructuralSchema, at: SchemaPosition): void {
  if (node["x-kubernetes-map-type"] !== undefined && node.type !== "object") {
    at.report("is atomic(), but neither a list nor an object", "leave out atomic()");
  }
}

function checkKeys(keys: readonly string[], items: StructuralSchema, at: SchemaPosition): void {
  if (keys.length === 0) at.report("is a list map without keys", "name at least one field of the element");
  if (new Set(keys).size < keys.length)
    at.report(`is a list map with a key twice: ${keys.join(", ")}`, "name it once");
  for (const key of keys) {
    const field = items.properties?.[key];
    const there = at.items().field(key);
    if (field === undefined) {
      there.report(
        "is a key of a list map, but no field of its elements",
        "add the field or choose another key",
      );
      continue;
    }
    if (field.type === undefined || field.type === "object" || field.type === "array") {
      there.report("is a key of a list map and no scalar", "use a string, number or boolean as a key");
    }
    if (field.nullable === true)
      there.report("is a key of a list map and may be null", "leave out .nullable()");
    if (!items.required?.includes(key) && field.default === undefined) {
      there.report("is a key of a list map and may be missing", "make it required or give it a default");
    }
  }
}
