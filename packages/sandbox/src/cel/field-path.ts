import type { FieldSchema } from "../schema/field-schema.ts";

/** Where a path leads. */
export interface FieldPath {
  /** As messages write it: `spec.ports[x.y]`. */
  readonly text: string;
  /** The first property of the path. */
  readonly root: string;
  readonly schema: FieldSchema;
}

/**
 * Follows a path such as `.spec.ports['x.y']` through a schema. Gives what is wrong with it, in the words of the real
 * server, if it leads nowhere.
 */
export function resolveFieldPath(
  path: string,
  schema: FieldSchema,
  allowsBrackets = true,
): FieldPath | string {
  let [current, text, rest] = [schema, "", path];
  let root = "";
  while (rest !== "") {
    const step = nextStep(rest, allowsBrackets);
    if (typeof step === "string") return step;
    const next = enter(current, step.name);
    if (next === undefined) return "does not refer to a valid field";
    if (next.isKey) text += `[${step.name}]`;
    else text += text === "" ? step.name : `.${step.name}`;
    if (root === "") root = step.name;
    current = next.schema;
    rest = rest.slice(step.length);
  }
  return { text, root, schema: current };
}

interface Step {
  readonly name: string;
  readonly length: number;
}

function nextStep(rest: string, allowsBrackets: boolean): Step | string {
  const [dotted, name] = /^\.([^.[\]]+)/.exec(rest) ?? [];
  if (dotted !== undefined && name !== undefined) return { name, length: dotted.length };
  if (rest === ".") return "unexpected end of JSON path";
  if (!rest.startsWith("["))
    return `expected [ or . but got: ${/^[^.[\]]+/.exec(rest)?.[0] ?? rest[0] ?? ""}`;
  if (!allowsBrackets) return "array notation is not allowed";
  const [bracketed, quoted] = /^\['((?:[^'\\]|\\.)*)'\]/.exec(rest) ?? [];
  if (bracketed === undefined || quoted === undefined) {
    return rest === "["
      ? "unexpected end of JSON path"
      : `expected single quoted string but got ${rest.slice(1)}`;
  }
  return { name: quoted.replaceAll(/\\(.)/g, "$1"), length: bracketed.length };
}

function enter(
  { properties, additionalProperties }: FieldSchema,
  name: string,
): { readonly schema: FieldSchema; readonly isKey: boolean } | undefined {
  if (properties !== undefined) {
    const schema = Object.hasOwn(properties, name) ? properties[name] : undefined;
    return schema && { schema, isKey: false };
  }
  return typeof additionalProperties === "object" ? { schema: additionalProperties, isKey: true } : undefined;
}
