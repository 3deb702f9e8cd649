import { deepEqual } from "@keelson/core";
import {
  dnsLabelProblems,
  dnsSubdomainProblems,
  pathSegmentProblems,
  percentProblems,
  portNameProblems,
  portNumberProblems,
} from "../resource/name-problems.ts";
import { type FieldProblem, invalidValue, required } from "../status/field-problem.ts";

/** The text of a field as the real server holds it in memory: one that was not sent is empty. */
export function textOf(field: string | undefined): string {
  return field ?? "";
}

/** The problems of a field that must not be empty: that it is, or what the check finds. */
export function requiredText(
  value: string | undefined,
  field: string,
  check: (value: string, field: string) => readonly FieldProblem[],
): readonly FieldProblem[] {
  return value ? check(value, field) : [required(field)];
}

export function pathSegment(value: string, field: string): readonly FieldProblem[] {
  return pathSegmentProblems(value).map((detail) => invalidValue(field, value, detail));
}

/** Nothing for a value that is missing, as for all below. */
export function nonNegative(value: number | bigint | undefined, field: string): readonly FieldProblem[] {
  return value === undefined || value >= 0
    ? []
    : [invalidValue(field, value, "must be greater than or equal to 0")];
}

/** Several numbers of one object, in order. */
export function nonNegativeFields<Name extends string>(
  object: Readonly<Partial<Record<Name, unknown>>>,
  field: string,
  names: readonly Name[],
): readonly FieldProblem[] {
  return names.flatMap((name) => {
    const value: unknown = object[name];
    return typeof value === "number" || typeof value === "bigint"
      ? nonNegative(value, `${field}.${name}`)
      : [];
  });
}

/** Values are equal if they print the same; a missing one is printed as null. */
export function immutableField(value: unknown, old: unknown, field: string): readonly FieldProblem[] {
  return deepEqual(value, old) ? [] : [invalidValue(field, value ?? null, "field is immutable")];
}

export function dnsLabel(value: string, field: string): readonly FieldProblem[] {
  return dnsLabelProblems(value).map((detail) => invalidValue(field, value, detail));
}

export function dnsSubdomain(value: string, field: string): readonly FieldProblem[] {
  return dnsSubdomainProblems(value).map((detail) => invalidValue(field, value, detail));
}

/** A port by its number or its name. */
export function portReference(port: number | string | undefined, field: string): readonly FieldProblem[] {
  const given = port ?? 0;
  const problems = typeof given === "number" ? portNumberProblems(given) : portNameProblems(given);
  return problems.map((detail) => invalidValue(field, given, detail));
}

/** A count, or a share such as `25%`. */
export function countOrPercent(value: number | string | undefined, field: string): readonly FieldProblem[] {
  if (value === undefined) return [];
  if (typeof value === "number") return nonNegative(value, field);
  return percentProblems(value).map((detail) => invalidValue(field, value, detail));
}

export function atMost100Percent(value: number | string | undefined, field: string): readonly FieldProblem[] {
  const percent = percentOf(value);
  return percent === undefined || percent <= 100
    ? []
    : [invalidValue(field, value, "must not be greater than 100%")];
}

/** The count, or the number before the percent sign; 0 for what is neither. */
export function countOrPercentValue(value: number | string | undefined): number {
  if (typeof value === "number") return value;
  return percentOf(value) ?? 0;
}

function percentOf(value: number | string | undefined): number | undefined {
  return typeof value === "string" && percentProblems(value).length === 0
    ? Number(value.slice(0, -1))
    : undefined;
}
