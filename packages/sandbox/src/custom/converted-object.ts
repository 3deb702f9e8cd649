import { apiVersionOf, draft, type GenericObject, isRecord, kindOf } from "@keelson/core";
import { labelsProblems } from "../resource/label-problems.ts";
import type { MutableObject } from "../resource/mutable-object.ts";
import { formatProblem } from "../status/field-problem.ts";

/**
 * What a webhook made of an object, with the metadata of the original but for labels and annotations, which alone it
 * may change; or what is wrong with it.
 */
export function checkedConversion(
  original: GenericObject,
  converted: unknown,
  wanted: { readonly group: string; readonly version: string },
): MutableObject | string {
  if (!isRecord(converted)) return "invalid object at index 0: Object 'Kind' is missing in 'null'";
  const { apiVersion, kind, metadata } = converted;
  if (apiVersion !== apiVersionOf(wanted)) {
    return `invalid object at index 0: invalid groupVersion (expected ${apiVersionOf(wanted)}, received ${String(apiVersion)})`;
  }
  if (kind !== original.kind) {
    return `invalid object at index 0: invalid kind (expected ${kindOf(original).kind}, received ${String(kind)})`;
  }
  if (metadata === undefined) return "invalid metadata: missing metadata in converted object";
  if (!isRecord(metadata)) {
    return `invalid metadata: invalid metadata of type ${goType(metadata)} in converted object`;
  }
  const changed = identityProblem(original, metadata);
  if (changed !== undefined) return `invalid object: ${changed}`;
  const kept = draft(original.metadata);
  for (const field of ["labels", "annotations"] as const) {
    const texts = metadata[field] ?? undefined;
    if (texts === undefined) {
      delete kept[field];
      continue;
    }
    const problem = textsProblem(field, texts);
    if (problem !== undefined) return `invalid metadata: ${problem}`;
    Object.assign(kept, { [field]: texts });
  }
  return { ...converted, apiVersion, kind: original.kind, metadata: kept };
}

const identity = [
  ["name", "name"],
  ["namespace", "namespace"],
  ["uid", "UID"],
] as const;

function identityProblem(
  { metadata }: GenericObject,
  converted: Readonly<Record<string, unknown>>,
): string | undefined {
  for (const [field, name] of identity) {
    const [before, after] = [metadata[field] ?? "", converted[field] ?? ""];
    if (before !== after) return `must have the same ${name}: ${before} != ${String(after)}`;
  }
  return undefined;
}

function textsProblem(field: "labels" | "annotations", texts: unknown): string | undefined {
  if (!isRecord(texts)) return `invalid metadata.${field} of type ${goType(texts)} in converted object`;
  const labels: Record<string, string> = {};
  for (const [key, value] of Object.entries(texts)) {
    if (typeof value !== "string") {
      return `metadata.${field}[${key}] must be a string, but is ${goType(value)} in converted object`;
    }
    labels[key] = value;
  }
  const [problem] = field === "labels" ? labelsProblems(labels, "metadata.labels") : [];
  return problem && formatProblem(problem);
}

function goType(value: unknown): string {
  if (value === null) return "<nil>";
  if (Array.isArray(value)) return "[]interface {}";
  if (typeof value === "object") return "map[string]interface {}";
  if (typeof value === "number") return Number.isInteger(value) ? "int64" : "float64";
  return typeof value === "boolean" ? "bool" : "string";
}
