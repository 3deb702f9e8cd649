import { isJsonObject } from "../schema/json-document.ts";

/*
 * Values of requests in the server's messages have the form of Go. Whole numbers are int64 there, other numbers float64.
 */

/** As `%v` prints it: `map[image:x name:c]`, `[a b]`, `<nil>`. */
export function goValue(value: unknown): string {
  if (value === null || value === undefined) return "<nil>";
  if (Array.isArray(value)) return `[${value.map(goValue).join(" ")}]`;
  if (!isJsonObject(value)) return String(value);
  const fields = Object.keys(value).sort();
  return `map[${fields.map((field) => `${field}:${goValue(value[field])}`).join(" ")}]`;
}

/** As `%#v` prints it: `map[string]interface {}{"a":1}`. */
export function goLiteral(value: unknown): string {
  if (value === null || value === undefined) return "interface {}(nil)";
  if (Array.isArray(value)) return `[]interface {}{${value.map(goLiteral).join(", ")}}`;
  if (!isJsonObject(value)) return typeof value === "string" ? JSON.stringify(value) : String(value);
  const fields = Object.keys(value).sort();
  const body = fields.map((field) => `${JSON.stringify(field)}:${goLiteral(value[field])}`).join(", ");
  return `map[string]interface {}{${body}}`;
}

/** The type that a decoded JSON value has in Go. */
export function goType(value: unknown): string {
  if (value === null || value === undefined) return "%!s(<nil>)";
  if (Array.isArray(value)) return "[]interface {}";
  if (isJsonObject(value)) return "map[string]interface {}";
  if (typeof value === "bigint") return "int64";
  if (typeof value === "number") return Number.isInteger(value) ? "int64" : "float64";
  return typeof value === "boolean" ? "bool" : typeof value;
}

/** As `%s` prints it, which is meant for strings. */
export function goText(value: unknown): string {
  if (typeof value === "string") return value;
  return value === null ? "%!s(<nil>)" : `%!s(${goType(value)}=${goValue(value)})`;
}
