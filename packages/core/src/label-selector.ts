import { KeelsonError } from "./error.ts";
import type { LabelSelector, LabelSelectorRequirement } from "./meta.ts";
import { labelValueProblem, qualifiedNameProblem } from "./name.ts";

/**
 * Everything the string form of a selector can express: what a LabelSelector in an object expresses, and comparisons of
 * numbers, which only the string form has. Every LabelSelector is one.
 */
export interface LabelQuery {
  readonly matchLabels?: Readonly<Record<string, string>>;
  readonly matchExpressions?: readonly LabelQueryRequirement[];
}

export type LabelQueryRequirement = LabelSelectorRequirement | LabelComparison;

/** `key>value` or `key<value`: the label is there, and it and the one value are 64-bit integers in that relation. */
export interface LabelComparison {
  readonly key: string;
  readonly operator: "Gt" | "Lt";
  readonly values: readonly string[];
}

/** A selector that the API server would refuse. */
export class InvalidLabelSelectorError extends KeelsonError {
  static override readonly brand: string = "@keelson/core.InvalidLabelSelectorError";
  readonly code = "INVALID_LABEL_SELECTOR";
  /** The selector as text; undefined if it was not text that was wrong. */
  readonly selector: string | undefined;
  /** Where in the text the problem begins, counted from 0. */
  readonly position: number | undefined;

  constructor(problem: string, place?: { readonly selector: string; readonly position: number }) {
    super(
      place === undefined
        ? `use label selector: ${problem}`
        : `parse label selector ${JSON.stringify(place.selector)}: at position ${place.position}, ${problem}`,
    );
    this.selector = place?.selector;
    this.position = place?.position;
  }
}

/** The selector of objects that have these labels, among any further labels. Without labels it selects everything. */
export function labelsToSelector(labels: Readonly<Record<string, string>>): LabelSelector {
  return { matchLabels: { ...labels } };
}

/** Whether a LabelSelector in an object can express the selector. */
export function isLabelSelector(query: LabelQuery): query is LabelSelector {
  return (query.matchExpressions ?? []).every(({ operator }) => operator !== "Gt" && operator !== "Lt");
}

/**
 * Whether labels are selected. An empty selector selects everything, a missing one nothing. `NotIn` also holds when
 * the key is absent. Nothing is validated here: this runs once per object and event.
 */
export function matchesLabels(
  selector: LabelQuery | undefined,
  labels: Readonly<Record<string, string>> | undefined,
): boolean {
  if (selector === undefined) return false;
  for (const [key, value] of Object.entries(selector.matchLabels ?? {})) {
    if (labelOf(labels, key) !== value) return false;
  }
  return (selector.matchExpressions ?? []).every((requirement) =>
    isMet(requirement, labelOf(labels, requirement.key)),
  );
}

/**
 * The string form, as query parameters and kubectl take it: sorted by key, values sorted and without repetition, so
 * that equivalent selectors have the same text. The empty selector is the empty text. Throws
 * InvalidLabelSelectorError for what the API server would refuse.
 */
export function formatLabelSelector(selector: LabelQuery): string {
  validateLabelSelector(selector);
  const equalities = Object.entries(selector.matchLabels ?? {}).map(([key, value]) => ({
    key,
    text: `${key}=${value}`,
  }));
  const expressions = (selector.matchExpressions ?? []).map((requirement) => ({
    key: requirement.key,
    text: formatRequirement(requirement),
  }));
  return [...equalities, ...expressions]
    .sort((a, b) => inOrder(a.key, b.key) || inOrder(a.text, b.text))
    .map(({ text }) => text)
    .join(",");
}

/** Throws InvalidLabelSelectorError for the first thing that the API server would refuse. */
export function validateLabelSelector(selector: LabelQuery): void {
  for (const [key, value] of Object.entries(selector.matchLabels ?? {})) {
    const problem = keyProblem(key) ?? valueProblem(value);
    if (problem !== undefined) throw new InvalidLabelSelectorError(problem);
  }
  for (const requirement of selector.matchExpressions ?? []) {
    const problem = requirementProblem(requirement);
    if (problem !== undefined) throw new InvalidLabelSelectorError(problem);
  }
}

export function requirementProblem({
  key,
  operator,
  values = [],
}: LabelQueryRequirement): string | undefined {
  return keyProblem(key) ?? operandProblem(operator, values) ?? firstOf(values, valueProblem);
}

export function keyProblem(key: string): string | undefined {
  const problem = qualifiedNameProblem(key);
  return problem === undefined ? undefined : `the key ${JSON.stringify(key)} ${problem}`;
}

function valueProblem(value: string): string | undefined {
  const problem = labelValueProblem(value);
  return problem === undefined ? undefined : `the value ${JSON.stringify(value)} ${problem}`;
}

function operandProblem(
  operator: LabelQueryRequirement["operator"],
  values: readonly string[],
): string | undefined {
  switch (operator) {
    case "In":
    case "NotIn":
      return values.length === 0 ? `${operator} needs at least one value` : undefined;
    case "Exists":
    case "DoesNotExist":
      return values.length > 0 ? `${operator} takes no values` : undefined;
    case "Gt":
    case "Lt":
      if (values.length !== 1) return `${operator} needs exactly one value`;
      return integerOf(values[0]) === undefined
        ? `${operator} needs an integer, not ${JSON.stringify(values[0])}`
        : undefined;
  }
}

function formatRequirement({ key, operator, values = [] }: LabelQueryRequirement): string {
  const list = [...new Set(values)].sort(inOrder).join(",");
  switch (operator) {
    case "In":
      return `${key} in (${list})`;
    case "NotIn":
      return `${key} notin (${list})`;
    case "Exists":
      return key;
    case "DoesNotExist":
      return `!${key}`;
    case "Gt":
      return `${key}>${list}`;
    case "Lt":
      return `${key}<${list}`;
  }
}

function isMet({ operator, values = [] }: LabelQueryRequirement, label: string | undefined): boolean {
  switch (operator) {
    case "In":
      return label !== undefined && values.includes(label);
    case "NotIn":
      return label === undefined || !values.includes(label);
    case "Exists":
      return label !== undefined;
    case "DoesNotExist":
      return label === undefined;
    case "Gt":
    case "Lt": {
      const left = integerOf(label);
      const right = integerOf(values[0]);
      if (left === undefined || right === undefined) return false;
      return operator === "Gt" ? left > right : left < right;
    }
  }
}

/** Labels come from outside: a selector for `constructor` must not find what every object inherits. */
function labelOf(labels: Readonly<Record<string, string>> | undefined, key: string): string | undefined {
  return labels !== undefined && Object.hasOwn(labels, key) ? labels[key] : undefined;
}

/** A 64-bit integer in decimal digits; undefined for anything else. */
function integerOf(text: string | undefined): bigint | undefined {
  if (text === undefined || !/^[-+]?\d+$/.test(text)) return undefined;
  const value = text.startsWith("+") ? BigInt(text.slice(1)) : BigInt(text);
  return BigInt.asIntN(64, value) === value ? value : undefined;
}

function firstOf(
  values: readonly string[],
  problemOf: (value: string) => string | undefined,
): string | undefined {
  for (const value of values) {
    const problem = problemOf(value);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function inOrder(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
