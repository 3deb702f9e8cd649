import { type FieldProblem, invalidValue } from "../../status/field-problem.ts";

/** A path below something: relative, and never up. */
export function innerPathProblems(path: string, field: string): readonly FieldProblem[] {
  const absolute = path.startsWith("/") ? [invalidValue(field, path, "must be a relative path")] : [];
  return [...absolute, ...backstepProblems(path, field)];
}

export function backstepProblems(path: string, field: string): readonly FieldProblem[] {
  return path.split("/").includes("..") ? [invalidValue(field, path, "must not contain '..'")] : [];
}
