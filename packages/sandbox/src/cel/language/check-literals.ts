import { parseDuration } from "@keelson/core";
import { GoPatternError, goPattern } from "../../schema/go-pattern.ts";
import { formatPieces } from "../functions/format-text.ts";
import { type CelType, dynType, isSameType, typeText, unwrapped } from "./cel-type.ts";
import type { CheckedExpression } from "./check-expression.ts";
import { EvaluationFailure } from "./evaluation-failure.ts";
import { type Call, descendants, type Expression } from "./expression.ts";
import type { Finding } from "./expression-problem.ts";
import { parseTimestamp } from "./timestamp.ts";

/** What is wrong with the values that a checked expression states itself, such as patterns and texts of formats. */
export function literalFindings(checked: CheckedExpression): readonly Finding[] {
  return [...argumentFindings(checked), ...mixtureFindings(checked), ...formatFindings(checked)];
}

function callsOf(root: Expression): readonly Call[] {
  return descendants(root).filter((part) => part.kind === "call");
}

type IsValid = (text: string) => boolean;

const literals: readonly (readonly [name: string, isValid: IsValid])[] = [
  ["duration", (text) => parseDuration(text) !== undefined],
  ["timestamp", (text) => parseTimestamp(text) !== undefined],
  ["matches", isPattern],
];

function isPattern(text: string): boolean {
  try {
    goPattern(text);
    return true;
  } catch (error) {
    if (error instanceof GoPatternError) return false;
    throw error;
  }
}

function argumentFindings({ root }: CheckedExpression): readonly Finding[] {
  const calls = callsOf(root);
  return literals.flatMap(([name, isValid]) =>
    calls.flatMap((call) => {
      const argument = call.name === name ? call.args[0] : undefined;
      if (argument?.kind !== "literal" || typeof argument.value !== "string") return [];
      return isValid(argument.value) ? [] : [{ text: `invalid ${name} argument`, offset: argument.offset }];
    }),
  );
}

/** Elements of lists and maps have one type, except those that texts are formatted with. */
function mixtureFindings(checked: CheckedExpression): readonly Finding[] {
  const isFormat = (part: Expression): boolean => part.kind === "call" && part.name === "format";
  return descendants(checked.root, isFormat).flatMap((part) => mixturesIn(checked, part));
}

function mixturesIn({ types }: CheckedExpression, expression: Expression): readonly Finding[] {
  const typeOf = (part: Expression, isOptional = false): CelType => {
    const type = types.get(part) ?? dynType;
    return isOptional ? (unwrapped(type) ?? type) : type;
  };
  const findings: Finding[] = [];
  if (expression.kind === "list") {
    const parts = expression.elements.map(({ value, isOptional }) => ({
      value,
      type: typeOf(value, isOptional),
    }));
    findings.push(...firstOther(parts).slice(0, 1));
  } else if (expression.kind === "map") {
    findings.push(
      ...firstOther(expression.entries.map(({ key }) => ({ value: key, type: typeOf(key) }))),
      ...firstOther(
        expression.entries.map(({ value, isOptional }) => ({ value, type: typeOf(value, isOptional) })),
      ),
    );
  }
  return findings;
}

function firstOther(
  parts: readonly { readonly value: Expression; readonly type: CelType }[],
): readonly Finding[] {
  const [first] = parts;
  if (first === undefined) return [];
  return parts
    .filter(({ type }) => !isSameType(first.type, type))
    .map(({ value, type }) => ({
      text: `expected type '${typeText(first.type)}' but found '${typeText(type)}'`,
      offset: value.offset,
    }));
}

function formatFindings(checked: CheckedExpression): readonly Finding[] {
  return callsOf(checked.root).flatMap((call) => {
    const [list] = call.args;
    if (call.name !== "format" || call.target?.kind !== "literal" || list?.kind !== "list") return [];
    const { value: text } = call.target;
    const elements = list.elements.map(({ value }) => value);
    return typeof text === "string" ? formatCallFindings(checked, call, text, elements) : [];
  });
}

function formatCallFindings(
  { types }: CheckedExpression,
  { offset }: Call,
  text: string,
  elements: readonly Expression[],
): readonly Finding[] {
  try {
    const clauses = formatPieces(text).flatMap((piece) => (typeof piece === "string" ? [] : [piece.clause]));
    for (const [index, { takes, complaint }] of clauses.entries()) {
      const element = elements[index];
      if (element === undefined) return [{ text: `index ${index} out of range`, offset }];
      const { kind, name } = types.get(element) ?? dynType;
      if (kind === "dyn" || takes.has(name)) continue;
      const given = kind === "null" ? "null_type" : (longNames[name] ?? name);
      const problem = `error during formatting: ${complaint}, was given ${given}`;
      return [{ text: problem, offset: element.offset }];
    }
    if (elements.length <= clauses.length) return [];
    const counts = `(expected ${clauses.length}, got ${elements.length})`;
    return [{ text: `too many arguments supplied to string.format ${counts}`, offset }];
  } catch (error) {
    if (error instanceof EvaluationFailure) return [{ text: error.message, offset }];
    throw error;
  }
}

const longNames: Readonly<Record<string, string>> = {
  duration: "google.protobuf.Duration",
  timestamp: "google.protobuf.Timestamp",
};
