import { goLiteral, goType, goValue } from "../patch/go-format.ts";
import { isJsonObject } from "../schema/json-document.ts";
import { type FieldType, type ListType, type MapType, type ScalarType, untypedAtomic } from "./field-type.ts";
import { formOf, identify } from "./list-element.ts";
import { formatElement } from "./path-element.ts";

/** The fields of a configuration that do not fit the type, in the server's messages with their paths. */
export function configurationProblems(value: unknown, type: FieldType, path = ""): string[] {
  // Every value fits it, however deeply it is nested.
  if (type === untypedAtomic) return [];
  switch (formOf(type, value)) {
    case "map":
      return type.map === undefined ? [] : inMap(value, type.map, path);
    case "list":
      return type.list === undefined ? [] : inList(value, type.list, path);
    default:
      return type.scalar === undefined || fits(value, type.scalar)
        ? []
        : [at(path, mismatch(value, type.scalar))];
  }
}

function inMap(value: unknown, map: MapType, path: string): string[] {
  if (value === null) return [];
  if (!isJsonObject(value)) return [at(path, `expected map, got ${goReference(value)}`)];
  const problems: string[] = [];
  for (const name of Object.keys(value).sort()) {
    if (value[name] === undefined) continue;
    const type = map.declared(name) ?? map.element;
    if (type === undefined) return [...problems, at(`${path}.${name}`, "field not declared in schema")];
    problems.push(...configurationProblems(value[name], type, `${path}.${name}`));
  }
  return problems;
}

function inList(value: unknown, list: ListType, path: string): string[] {
  if (value === null) return [];
  if (!Array.isArray(value)) return [at(path, `expected list, got ${goReference(value)}`)];
  const problems: string[] = [];
  const seen = new Set<string>();
  for (const [index, item] of value.entries()) {
    if (list.relation === "atomic") {
      problems.push(...configurationProblems(item, list.element, `${path}[${index}]`));
      continue;
    }
    const identity = identify(list, item);
    if ("problem" in identity) return [...problems, at(path, `element ${index}: ${identity.problem}`)];
    const shown = formatElement(identity.element);
    if (seen.has(identity.element)) problems.push(at(path, `duplicate entries for key ${shown}`));
    seen.add(identity.element);
    problems.push(...configurationProblems(item, list.element, path + shown));
  }
  return problems;
}

function at(path: string, message: string): string {
  return path === "" ? message : `${path}: ${message}`;
}

function fits(value: unknown, scalar: ScalarType): boolean {
  if (value === null) return true;
  if (scalar === "untyped") return typeof value !== "object";
  if (scalar === "numeric") return typeof value === "number" || typeof value === "bigint";
  return typeof value === scalar;
}

function mismatch(value: unknown, scalar: ScalarType): string {
  if (scalar === "numeric") return `expected numeric (int or float), got ${goType(value)}`;
  if (scalar === "string") return `expected string, got &value.valueUnstructured{Value:${goLiteral(value)}}`;
  return `expected ${scalar === "boolean" ? "boolean" : "any scalar"}, got ${goReference(value)}`;
}

/** The value as Go prints a reference to it. */
function goReference(value: unknown): string {
  return `&{${goValue(value)}}`;
}
