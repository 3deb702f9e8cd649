import { isMap, typeNameOf, Unsigned } from "../language/cel-values.ts";
import { failure } from "../language/evaluation-failure.ts";
import { doubleText } from "./conversions.ts";

/** What a clause such as `%d` takes, and what it makes of it. */
interface FormatClause {
  /** Names of types. */
  readonly takes: ReadonlySet<string>;
  /** Why other values are refused, followed by their type. */
  readonly complaint: string;
  format(value: unknown, precision: number): string;
}

const integers = ["int", "uint"];
const ofStrings: ReadonlySet<string> = new Set([
  ...["list", "map", "int", "uint", "double", "bool", "string", "bytes", "type", "null", "null_type"],
  ...["timestamp", "duration", "google.protobuf.Timestamp", "google.protobuf.Duration"],
]);

const clauses: Readonly<Record<string, FormatClause>> = {
  s: {
    takes: ofStrings,
    complaint:
      "string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps",
    format: shown,
  },
  d: { takes: new Set(integers), complaint: "decimal clause can only be used on integers", format: String },
  f: {
    takes: new Set(["double", "string"]),
    complaint: "fixed-point clause can only be used on doubles",
    format: (value, precision) => fixed(number(value, "fixed-point clause"), precision),
  },
  e: {
    takes: new Set(["double", "string"]),
    complaint: "scientific clause can only be used on doubles",
    format: (value) => scientific(number(value, "scientific clause")),
  },
  b: {
    takes: new Set([...integers, "bool"]),
    complaint: "only integers and bools can be formatted as binary",
    format: (value) => (typeof value === "boolean" ? String(Number(value)) : inBase(value, 2)),
  },
  o: {
    takes: new Set(integers),
    complaint: "octal clause can only be used on integers",
    format: (value) => inBase(value, 8),
  },
  x: {
    takes: new Set([...integers, "string", "bytes"]),
    complaint: "only integers, byte buffers, and strings can be formatted as hex",
    format: hexadecimal,
  },
};

/** A text between clauses, or a clause with the place of its value. */
type Piece =
  | string
  | { readonly clause: FormatClause; readonly isUpper: boolean; readonly precision: number };

/** The parts of a text with clauses: s d f e b x X o, and a precision for f. Throws for one that does not exist. */
export function formatPieces(text: string): readonly Piece[] {
  const pieces: Piece[] = [];
  let last = 0;
  for (const match of text.matchAll(/%(?:%|(?:\.(\d*))?(.?))/gsu)) {
    const [whole, precision, verb] = match;
    pieces.push(text.slice(last, match.index));
    last = match.index + whole.length;
    if (whole === "%%") pieces.push("%");
    else pieces.push(pieceOf(verb ?? "", precision));
  }
  return [...pieces, text.slice(last)];
}

function pieceOf(verb: string, precision: string | undefined): Piece {
  if (verb === "" && precision === undefined) throw failure("unexpected end of string");
  const isUpper = verb === "X";
  const clause = clauses[isUpper ? "x" : verb];
  if (clause === undefined)
    throw failure(`could not parse formatting clause: unrecognized formatting clause "${verb}"`);
  return { clause, isUpper, precision: precision === undefined ? 6 : Number(precision) };
}

/** `"%s is %d".format([name, age])` */
export function formatText(text: string, values: readonly unknown[]): string {
  let next = 0;
  return formatPieces(text)
    .map((piece) => {
      if (typeof piece === "string") return piece;
      if (next >= values.length) throw failure(`index ${next} out of range`);
      const value = values[next++];
      const { clause, precision, isUpper } = piece;
      const type = typeNameOf(value);
      if (!clause.takes.has(type))
        throw failure(`error during formatting: ${clause.complaint}, was given ${type}`);
      const written = clause.format(value, precision);
      return isUpper ? written.toUpperCase() : written;
    })
    .join("");
}

/** The texts NaN, Infinity and -Infinity stand for the numbers. */
function number(value: unknown, clause: string): number {
  if (typeof value === "number") return value;
  if (value === "NaN" || value === "Infinity" || value === "-Infinity") return Number(value);
  throw failure(
    `error during formatting: ${clause} can only be used on doubles, was given ${typeNameOf(value)}`,
  );
}

function unusual(value: number): string | undefined {
  if (Number.isNaN(value)) return "NaN";
  if (Number.isFinite(value)) return undefined;
  return value > 0 ? "∞" : "-∞";
}

/** With commas between thousands. */
function fixed(value: number, precision: number): string {
  const digits = { minimumFractionDigits: precision, maximumFractionDigits: precision };
  return unusual(value) ?? value.toLocaleString("en-US", digits);
}

const superscripts: Readonly<Record<string, string>> = Object.fromEntries(
  [..."-0123456789"].map((digit, index) => [digit, [..."⁻⁰¹²³⁴⁵⁶⁷⁸⁹"][index] ?? ""]),
);

function scientific(value: number): string {
  const [mantissa, exponent = "0"] = value.toExponential(6).split("e");
  const power = exponent.replace("+", "").replace(/^(-?)(\d)$/, "$10$2");
  return (
    unusual(value) ?? `${mantissa}\u202f×\u202f10${[...power].map((digit) => superscripts[digit]).join("")}`
  );
}

function inBase(value: unknown, base: number): string {
  if (value instanceof Unsigned) return value.value.toString(base);
  return typeof value === "bigint" ? value.toString(base) : String(value);
}

function hexadecimal(value: unknown): string {
  if (typeof value === "string") return Buffer.from(value, "utf8").toString("hex");
  if (value instanceof Uint8Array) return Buffer.from(value).toString("hex");
  return inBase(value, 16);
}

/** How `%s` writes a value. */
function shown(value: unknown): string {
  if (value === null) return "null";
  if (typeof value === "number") return doubleText(value);
  if (value instanceof Uint8Array) return Buffer.from(value).toString("utf8");
  if (Array.isArray(value)) return `[${value.map(literal).join(", ")}]`;
  if (isMap(value)) {
    const entries = [...value].map(([key, inner]) => [literal(key), literal(inner)] as const);
    const sorted = entries.toSorted(([a], [b]) => (a < b ? -1 : 1));
    return `{${sorted.map(([key, inner]) => `${key}:${inner}`).join(", ")}}`;
  }
  return String(value);
}

/** Inside lists and maps, values are written as expressions would. */
function literal(value: unknown): string {
  const type = typeNameOf(value);
  if (type === "string") return JSON.stringify(value);
  if (type === "bytes") return `b${JSON.stringify(shown(value))}`;
  if (typeof value === "number")
    return unusual(value) === undefined ? value.toFixed(6) : JSON.stringify(doubleText(value));
  if (type === "google.protobuf.Timestamp") return `timestamp("${String(value)}")`;
  if (type === "google.protobuf.Duration") return `duration("${String(value)}")`;
  if (!ofStrings.has(type)) throw failure(`error during formatting: no formatting function for ${type}`);
  return shown(value);
}
