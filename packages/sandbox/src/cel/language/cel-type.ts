type ScalarName = "bool" | "int" | "uint" | "double" | "string" | "bytes" | "duration" | "timestamp";

/** A type of CEL, as the checker knows it. */
export interface CelType {
  readonly kind:
    | "scalar"
    | "null"
    | "dyn"
    /** Of an expression that is wrong: it fits everywhere, so that one mistake is reported once. */
    | "error"
    | "list"
    | "map"
    | "object"
    /** A type of a library that has parameters, or no fields. */
    | "opaque"
    | "parameter"
    | "type";
  /** Of objects, opaque types and parameters. */
  readonly name: string;
  readonly parameters: readonly CelType[];
}

function simple(kind: CelType["kind"], name: string): CelType {
  return { kind, name, parameters: [] };
}

export const scalars: Readonly<Record<ScalarName, CelType>> = {
  bool: simple("scalar", "bool"),
  int: simple("scalar", "int"),
  uint: simple("scalar", "uint"),
  double: simple("scalar", "double"),
  string: simple("scalar", "string"),
  bytes: simple("scalar", "bytes"),
  duration: simple("scalar", "duration"),
  timestamp: simple("scalar", "timestamp"),
};
export const dynType: CelType = simple("dyn", "dyn");
export const nullType: CelType = simple("null", "null");
export const errorType: CelType = simple("error", "!error!");
export const anyType: CelType = simple("type", "type");

export function listOf(element: CelType): CelType {
  return { kind: "list", name: "list", parameters: [element] };
}

export function mapOf(key: CelType, value: CelType): CelType {
  return { kind: "map", name: "map", parameters: [key, value] };
}

export function optionalOf(value: CelType): CelType {
  return { kind: "opaque", name: "optional_type", parameters: [value] };
}

export function objectType(name: string): CelType {
  return simple("object", name);
}

export function parameterType(name: string): CelType {
  return simple("parameter", name);
}

/** The type of a type. */
export function typeOfType(type: CelType): CelType {
  return { kind: "type", name: "type", parameters: [type] };
}

/** The value's type, if it is an optional one. */
export function unwrapped(type: CelType): CelType | undefined {
  return type.kind === "opaque" && type.name === "optional_type" ? type.parameters[0] : undefined;
}

/** As messages write it: `map(string, list(int))`. */
export function typeText({ kind, name, parameters }: CelType): string {
  if (kind === "opaque" || parameters.length > 0)
    return parameters.length === 0 ? name : `${name}(${parameters.map(typeText).join(", ")})`;
  return name;
}

export function isSameType(one: CelType, other: CelType): boolean {
  return (
    one === other ||
    (one.kind === other.kind &&
      one.name === other.name &&
      one.parameters.length === other.parameters.length &&
      one.parameters.every((parameter, index) => {
        const twin = other.parameters[index];
        return twin !== undefined && isSameType(parameter, twin);
      }))
  );
}

/** `list<A>`, `optional<map<string, V>>`, `net.IP`: a type as declarations of functions write it. */
export function parseType(text: string): CelType {
  const [, name = text, inner] = /^([\w.]+)<(.*)>$/.exec(text) ?? [];
  const parameters = inner === undefined ? [] : splitList(inner).map(parseType);
  const [first = dynType, second = dynType] = parameters;
  if (name === "list") return listOf(first);
  if (name === "map") return mapOf(first, second);
  if (name === "optional") return optionalOf(first);
  if (name === "type") return typeOfType(first);
  if (name === "dyn") return dynType;
  if (isScalarName(name)) return scalars[name];
  if (/^[A-Z]$/.test(name)) return parameterType(name);
  return opaqueNames.has(name) ? simple("opaque", name) : objectType(name);
}

const opaqueNames: ReadonlySet<string> = new Set(["net.IP", "net.CIDR"]);

export function isScalarName(name: string): name is ScalarName {
  return Object.hasOwn(scalars, name);
}

/** The parts of `a, list<b, c>` between the outer commas. */
export function splitList(text: string): readonly string[] {
  const parts: string[] = [];
  let depth = 0;
  let start = 0;
  for (const [index, character] of [...text].entries()) {
    if (character === "<") depth++;
    else if (character === ">") depth--;
    else if (character === "," && depth === 0) {
      parts.push(text.slice(start, index).trim());
      start = index + 1;
    }
  }
  const last = text.slice(start).trim();
  return last === "" ? parts : [...parts, last];
}
