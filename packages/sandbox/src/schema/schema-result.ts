import { type FieldProblem, invalidValue } from "../status/field-problem.ts";

/** What one schema says of one value. */
export interface SchemaResult {
  readonly problems: readonly FieldProblem[];
  /** How much of the schema the value meets; of several forms that it does not meet, the nearest one is told. */
  readonly matches: number;
}

export function joined(results: readonly SchemaResult[]): SchemaResult {
  return {
    problems: results.flatMap(({ problems }) => problems),
    matches: results.reduce((total, { matches }) => total + matches, 0),
  };
}

export function result(...problems: readonly FieldProblem[]): SchemaResult {
  return { problems, matches: problems.length === 0 ? 1 : 0 };
}

/** Messages about a field repeat its name: `spec.size in body should be at least 2 chars long`. */
export function bodyProblem(field: string, value: unknown, rest: string): FieldProblem {
  return invalidValue(nameOf(field), value, `${field} in body ${rest}`);
}

export function typeProblem(field: string, expected: string, actual: string): FieldProblem {
  const detail = `${field} in body must be of type ${expected}: ${JSON.stringify(actual)}`;
  return { type: "FieldValueTypeInvalid", field: nameOf(field), value: actual, detail };
}

/** Problems that are not about one field are about none. */
export function generalProblem(detail: string): FieldProblem {
  return invalidValue("<nil>", "", detail);
}

/** How the object itself is called. */
export function nameOf(field: string): string {
  return field === "" ? "<nil>" : field.replace(/^\./, "");
}
