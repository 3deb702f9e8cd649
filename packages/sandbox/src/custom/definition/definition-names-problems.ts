import type { CustomResourceDefinitionNames } from "@keelson/core/kinds/apiextensions/v1";
import { dns1035LabelProblems } from "../../resource/name-problems.ts";
import { type FieldProblem, indexed, invalidValue, required } from "../../status/field-problem.ts";

/** What is wrong with the names of a kind, as asked for (`spec.names`) or as accepted (`status.acceptedNames`). */
export function namesProblems(names: CustomResourceDefinitionNames, field: string): readonly FieldProblem[] {
  const { plural = "", singular = "", kind = "", listKind = "", shortNames = [], categories = [] } = names;
  const problems: FieldProblem[] = [
    ...labelProblems(plural, `${field}.plural`),
    ...labelProblems(singular, `${field}.singular`),
    ...kindProblems(kind, `${field}.kind`),
    ...kindProblems(listKind, `${field}.listKind`),
    ...shortNames.flatMap((name, index) => labelProblems(name, indexed(`${field}.shortNames`, index), true)),
  ];
  if (kind !== "" && kind === listKind) {
    problems.push(invalidValue(`${field}.listKind`, listKind, "kind and listKind may not be the same"));
  }
  const ofCategories = categories.flatMap((name, index) =>
    labelProblems(name, indexed(`${field}.categories`, index), true),
  );
  return [...problems, ...ofCategories];
}

export function missingNameProblems(names: CustomResourceDefinitionNames): readonly FieldProblem[] {
  return (["plural", "singular", "kind", "listKind"] as const)
    .filter((name) => (names[name] ?? "") === "")
    .map((name) => required(`spec.names.${name}`));
}

function labelProblems(name: string, field: string, isRequired = false): readonly FieldProblem[] {
  const problems = name === "" && !isRequired ? [] : dns1035LabelProblems(name);
  return problems.length === 0 ? [] : [invalidValue(field, name, problems.join(","))];
}

function kindProblems(kind: string, field: string): readonly FieldProblem[] {
  const problems = kind === "" ? [] : dns1035LabelProblems(kind.toLowerCase());
  if (problems.length === 0) return [];
  const detail = `may have mixed case, but should otherwise match: ${problems.join(",")}`;
  return [invalidValue(field, kind, detail)];
}
