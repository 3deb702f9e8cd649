import { Duration } from "@marcbachmann/cel-js/evaluator";
import { failure } from "./library.ts";

/** `"%s is %d".format([name, age])` with the clauses of CEL: s d f e b x X o, and a precision for f and e. */
export function formatText(text: string, values: readonly unknown[]): string {
  let next = 0;
  return text.replaceAll(
    /%(?:%|(?:\.(\d+))?([a-zA-Z]))/g,
    (clause, precision: string | undefined, verb?: string) => {
      if (verb === undefined) return "%";
      if (next >= values.length) throw failure(`index ${next} out of range`);
      return formatted(values[next++], verb, precision === undefined ? 6 : Number(precision), clause);
    },
  );
}

function formatted(value: unknown, verb: string, precision: number, clause: string): string {
  switch (verb) {
    case "s":
      return shown(value);
    case "d":
      if (typeof value === "bigint" || typeof value === "number") return String(value);
      throw mismatch("decimal", "integers and doubles", value);
    case "f":
      return Number(numeric(value, "fixed-point")).toFixed(precision);
    case "e":
      return Number(numeric(value, "scientific"))
        .toExponential(precision)
        .replace(/e([+-])(\d)$/, "e$10$2");
    case "b":
      if (typeof value === "boolean") return value ? "1" : "0";
      return inBase(value, 2, "binary");
    case "o":
      return inBase(value, 8, "octal");
    case "x":
      return hexadecimal(value);
    case "X":
      return hexadecimal(value).toUpperCase();
    default:
      throw failure(`could not parse formatting clause: unrecognized formatting clause "${clause.at(-1)}"`);
  }
}

function numeric(value: unknown, what: string): number | bigint {
  if (typeof value === "number" || typeof value === "bigint") return value;
  throw mismatch(what, "doubles", value);
}

function inBase(value: unknown, base: number, what: string): string {
  if (typeof value === "bigint") return value.toString(base);
  throw mismatch(what, "integers", value);
}

function hexadecimal(value: unknown): string {
  if (typeof value === "string") return Buffer.from(value, "utf8").toString("hex");
  if (value instanceof Uint8Array) return Buffer.from(value).toString("hex");
  return inBase(value, 16, "hex");
}

function mismatch(what: string, kinds: string, value: unknown): Error {
  return failure(
    `error during formatting: ${what} clause can only be used on ${kinds}, was given ${typeof value}`,
  );
}

/** How `%s` writes a value, inside lists and maps too. */
function shown(value: unknown): string {
  if (value === null) return "null";
  if (value instanceof Date) return value.toISOString().replace(/\.?0*Z$/, "Z");
  if (value instanceof Duration) return value.toString();
  if (value instanceof Uint8Array) return Buffer.from(value).toString("utf8");
  if (Array.isArray(value)) return `[${value.map(shown).join(", ")}]`;
  if (typeof value === "object" && value.constructor === Object) {
    const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
    return `{${entries.map(([name, inner]) => `${name}: ${shown(inner)}`).join(", ")}}`;
  }
  return String(value);
}
