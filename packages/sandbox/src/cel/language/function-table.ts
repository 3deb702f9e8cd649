import { type CelType, isScalarName, parseType, splitList } from "./cel-type.ts";

/**
 * What computes the result of a function. It is only called with values of the types that its signature names, so each
 * states its own.
 */
type Handler = (...values: never[]) => unknown;

/** One form of a function. */
export interface Overload {
  /** Without a receiver: `startsWith`, `sets.contains`. */
  readonly name: string;
  readonly signature: string;
  readonly isMember: boolean;
  /** With that of the receiver first. */
  readonly parameters: readonly CelType[];
  readonly result: CelType;
  readonly typeParameters: readonly string[];
  readonly handler: Handler;
}

/**
 * Signatures with what computes them: `string.find(string): string` is called on a text, `sets.contains(list<T>,
 * list<T>): bool` has a name with a dot. Single capital letters are parameters.
 */
export type Functions = readonly (readonly [signature: string, handler: Handler])[];

export type FunctionTable = ReadonlyMap<string, readonly Overload[]>;

/** The functions of several libraries by their names. */
export function functionTable(...libraries: readonly Functions[]): FunctionTable {
  const table = new Map<string, Overload[]>();
  for (const [signature, handler] of libraries.flat()) {
    const overload = parseSignature(signature, handler);
    const known = table.get(overload.name);
    if (known === undefined) table.set(overload.name, [overload]);
    else known.push(overload);
  }
  return table;
}

function parseSignature(signature: string, handler: Handler): Overload {
  const [, path = "", given = "", result = "dyn"] = /^(.*?)\((.*)\): (.*)$/.exec(signature) ?? [];
  const dot = path.lastIndexOf(".");
  const receiver = path.slice(0, Math.max(0, dot));
  const isMember = isReceiver(receiver);
  const parameters = [...(isMember ? [receiver] : []), ...splitList(given)].map(parseType);
  const resultType = parseType(result);
  return {
    name: isMember ? path.slice(dot + 1) : path,
    signature,
    isMember,
    parameters,
    result: resultType,
    typeParameters: [...new Set([...parameters, resultType].flatMap(parameterNames))],
    handler,
  };
}

/** Types of libraries have a dot in their names, all others are known. */
function isReceiver(name: string): boolean {
  return name.includes(".") || name.includes("<") || isScalarName(name);
}

function parameterNames(type: CelType): readonly string[] {
  return type.kind === "parameter" ? [type.name] : type.parameters.flatMap(parameterNames);
}
