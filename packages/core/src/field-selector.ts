import { KeelsonError } from "./error.ts";
import { isRecord } from "./json.ts";

/** One condition on a field, such as `spec.nodeName=node-1`. A field that is absent has the empty value. */
export interface FieldRequirement {
  /** A path of names joined by dots, as in `metadata.name`. */
  readonly field: string;
  readonly operator: "=" | "!=";
  readonly value: string;
}

/** Conditions which must all hold; none of them selects everything. */
export type FieldSelector = readonly FieldRequirement[];

/** A field selector that cannot be read or written. */
export class InvalidFieldSelectorError extends KeelsonError {
  static override readonly brand: string = "@keelson/core.InvalidFieldSelectorError";
  readonly code = "INVALID_FIELD_SELECTOR";
  /** The selector, or the one requirement, as text. */
  readonly selector: string;
  /** Where in the text the problem begins, counted from 0; undefined if it was not text that was wrong. */
  readonly position: number | undefined;

  constructor(selector: string, problem: string, position?: number) {
    super(
      position === undefined
        ? `use field selector ${JSON.stringify(selector)}: ${problem}`
        : `parse field selector ${JSON.stringify(selector)}: at position ${position}, ${problem}`,
    );
    this.selector = selector;
    this.position = position;
  }
}

/**
 * Reads `a.b=c,d!=e`; `==` is the same as `=`. In a value a backslash stands before every backslash, comma and equals
 * sign. Empty terms are skipped, as in Kubernetes; a term without a field name is refused.
 */
export function parseFieldSelector(selector: string): FieldSelector {
  const requirements: FieldRequirement[] = [];
  for (const { text, position } of termsOf(selector)) {
    if (text !== "") requirements.push(parseTerm(selector, text, position));
  }
  return requirements;
}

/** The string form, sorted, so that equivalent selectors have the same text. */
export function formatFieldSelector(selector: FieldSelector): string {
  return selector.map(formatTerm).sort().join(",");
}

/** Whether an object is selected, given how to look up its fields. */
export function matchesFields(
  selector: FieldSelector,
  fieldOf: (path: string) => string | undefined,
): boolean {
  return selector.every(
    ({ field, operator, value }) => ((fieldOf(field) ?? "") === value) === (operator === "="),
  );
}

/**
 * Looks up fields of an object by path. What is not there, and what is neither text, number nor boolean, is the empty
 * text. The API server knows only some fields of each kind; this knows all.
 */
export function fieldsOf(object: object): (path: string) => string {
  return (path) => {
    let value: unknown = object;
    for (const name of path.split(".")) {
      value = isRecord(value) && Object.hasOwn(value, name) ? value[name] : undefined;
    }
    return ["string", "number", "boolean"].includes(typeof value) ? String(value) : "";
  };
}

function parseTerm(selector: string, term: string, position: number): FieldRequirement {
  const match = /^(.*?)(!=|==|=)(.*)$/s.exec(term);
  if (match === null) {
    throw new InvalidFieldSelectorError(
      selector,
      `${JSON.stringify(term)} has no operator; use "=" or "!="`,
      position,
    );
  }
  const [, field = "", sign = "=", escaped = ""] = match;
  const problem = fieldProblem(field);
  if (problem !== undefined) throw new InvalidFieldSelectorError(selector, problem, position);
  const value = unescapeValue(selector, escaped, position + field.length + sign.length);
  return { field, operator: sign === "!=" ? "!=" : "=", value };
}

/** The parts between commas, but not commas that follow a backslash. */
function* termsOf(selector: string): Iterable<{ readonly text: string; readonly position: number }> {
  let start = 0;
  for (let index = 0; index < selector.length; index += 1) {
    if (selector[index] === "\\") index += 1;
    else if (selector[index] === ",") {
      yield { text: selector.slice(start, index), position: start };
      start = index + 1;
    }
  }
  yield { text: selector.slice(start), position: start };
}

function unescapeValue(selector: string, escaped: string, position: number): string {
  let value = "";
  for (let index = 0; index < escaped.length; index += 1) {
    const character = escaped[index];
    if (character === "=") {
      throw new InvalidFieldSelectorError(
        selector,
        'there is "=" in a value; write "\\=" instead',
        position + index,
      );
    }
    if (character !== "\\") {
      value += character;
      continue;
    }
    index += 1;
    const next = escaped[index];
    if (next !== "\\" && next !== "," && next !== "=") {
      throw new InvalidFieldSelectorError(
        selector,
        'a backslash stands alone; write "\\\\" instead',
        position + index - 1,
      );
    }
    value += next;
  }
  return value;
}

function formatTerm({ field, operator, value }: FieldRequirement): string {
  const problem = fieldProblem(field);
  if (problem !== undefined) throw new InvalidFieldSelectorError(`${field}${operator}${value}`, problem);
  return `${field}${operator}${value.replace(/[\\,=]/g, "\\$&")}`;
}

/** There is no escaping in the name of a field, so it cannot hold what would be read as something else. */
function fieldProblem(field: string): string | undefined {
  if (field === "") return "there is no field before the operator; write it like metadata.name=web";
  return /[\\,=!]/.test(field)
    ? `the field ${JSON.stringify(field)} must not contain "\\", ",", "=" or "!"`
    : undefined;
}
