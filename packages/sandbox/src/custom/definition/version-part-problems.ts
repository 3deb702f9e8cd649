import type {
  CustomResourceColumnDefinition,
  CustomResourceSubresources,
} from "@keelson/core/kinds/apiextensions/v1";
import { type FieldProblem, invalidValue, required } from "../../status/field-problem.ts";

const columnTypes = ["boolean", "date", "integer", "number", "string"];
const columnFormats = ["byte", "date", "date-time", "double", "float", "int32", "int64", "password"];

export function columnProblems(
  column: CustomResourceColumnDefinition,
  path: string,
): readonly FieldProblem[] {
  const { name = "", type = "", format = "", jsonPath = "" } = column;
  const problems: FieldProblem[] = name === "" ? [required(`${path}.name`)] : [];
  const detail = `must be one of ${columnTypes.join(",")}`;
  if (type === "") problems.push(required(`${path}.type`, detail));
  else if (!columnTypes.includes(type)) problems.push(invalidValue(`${path}.type`, type, detail));
  if (format !== "" && !columnFormats.includes(format)) {
    problems.push(invalidValue(`${path}.format`, format, `must be one of ${columnFormats.join(",")}`));
  }
  if (jsonPath === "") return [...problems, required(`${path}.JSONPath`)];
  return [...problems, ...pathProblems(jsonPath, `${path}.JSONPath`)];
}

export function subresourceProblems(
  subresources: CustomResourceSubresources | undefined,
  path: string,
): readonly FieldProblem[] {
  const scale = subresources?.scale;
  if (scale === undefined) return [];
  const { specReplicasPath = "", statusReplicasPath = "", labelSelectorPath = "" } = scale;
  return [
    ...replicasProblems(specReplicasPath, `${path}.scale.specReplicasPath`, ".spec"),
    ...replicasProblems(statusReplicasPath, `${path}.scale.statusReplicasPath`, ".status"),
    ...selectorProblems(labelSelectorPath, `${path}.scale.labelSelectorPath`),
  ];
}

function replicasProblems(jsonPath: string, path: string, under: string): readonly FieldProblem[] {
  if (jsonPath === "") return [required(path)];
  const problems = pathProblems(jsonPath, path);
  if (problems.length > 0 || jsonPath.startsWith(`${under}.`)) return problems;
  return [invalidValue(path, jsonPath, `should be a json path under ${under}`)];
}

function selectorProblems(jsonPath: string, path: string): readonly FieldProblem[] {
  const problems = jsonPath === "" ? [] : pathProblems(jsonPath, path);
  if (jsonPath === "" || problems.length > 0 || /^\.(spec|status)\./.test(jsonPath)) return problems;
  return [invalidValue(path, jsonPath, "should be a json path under either .spec or .status")];
}

function pathProblems(jsonPath: string, path: string): readonly FieldProblem[] {
  return jsonPath.startsWith(".")
    ? []
    : [invalidValue(path, jsonPath, "must be a simple json path starting with .")];
}
