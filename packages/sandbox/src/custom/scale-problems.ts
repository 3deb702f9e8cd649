import { type GenericObject, isRecord } from "@keelson/core";
import type { ScalePaths } from "../resource/served-resource.ts";
import { type FieldProblem, invalidValue } from "../status/field-problem.ts";

/** What keeps an object from being scaled: its numbers of replicas and its selector must be what they are for. */
export function scaleProblems(
  object: GenericObject,
  { specReplicasPath, statusReplicasPath, labelSelectorPath }: ScalePaths,
  isStatus: boolean,
): readonly FieldProblem[] {
  return [
    ...(isStatus ? [] : replicasProblems(object, specReplicasPath)),
    ...replicasProblems(object, statusReplicasPath),
    ...(labelSelectorPath === undefined ? [] : selectorProblems(object, labelSelectorPath)),
  ];
}

const mostReplicas = 2 ** 31 - 1;

function replicasProblems(object: GenericObject, path: string): readonly FieldProblem[] {
  const found = nested(object, path);
  if (typeof found === "string") return [invalidValue(path, 0, found)];
  const { value } = found;
  if (value === undefined) return [];
  if (typeof value !== "number" || !Number.isInteger(value)) {
    return [invalidValue(path, 0, mismatch(path, value, "int64"))];
  }
  if (value < 0) return [invalidValue(path, value, "should be a non-negative integer")];
  return value > mostReplicas
    ? [invalidValue(path, value, `should be less than or equal to ${mostReplicas}`)]
    : [];
}

function selectorProblems(object: GenericObject, path: string): readonly FieldProblem[] {
  const found = nested(object, path);
  if (typeof found === "string") return [invalidValue(path, "", found)];
  const { value } = found;
  return value === undefined || typeof value === "string"
    ? []
    : [invalidValue(path, "", mismatch(path, value, "string"))];
}

/** The value, or why there is no way to it. */
function nested(object: GenericObject, path: string): { readonly value: unknown } | string {
  let value: unknown = object;
  const walked: string[] = [];
  for (const name of path.replace(/^\./, "").split(".")) {
    if (value === undefined || value === null) return { value: undefined };
    if (!isRecord(value)) {
      return `.${walked.join(".")} accessor error: ${shown(value)} is of the type ${goType(value)}, expected map[string]interface{}`;
    }
    walked.push(name);
    value = value[name];
  }
  return { value: value ?? undefined };
}

function mismatch(path: string, value: unknown, type: string): string {
  return `.${path.replace(/^\./, "")} accessor error: ${shown(value)} is of the type ${goType(value)}, expected ${type}`;
}

function shown(value: unknown): string {
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

function goType(value: unknown): string {
  if (Array.isArray(value)) return "[]interface {}";
  if (typeof value === "object") return "map[string]interface {}";
  if (typeof value === "number") return Number.isInteger(value) ? "int64" : "float64";
  return typeof value === "boolean" ? "bool" : "string";
}
