import { isRecord } from "keelson/low-level";
import type { Values } from "../helm/helm.ts";

/**
 * Merges values for a chart, the last ones winning. Maps are merged key by key and lists are concatenated: several sources may
 * each add node groups or files. A null does not win over a value: it says that its source has no opinion.
 */
export function mergeConcat(defaults: Values, ...overrides: readonly Values[]): Values {
  return overrides.reduce(mergeMaps, defaults);
}

function mergeMaps(left: Values, right: Values): Values {
  const merged = new Map<string, unknown>(Object.entries(left));
  for (const [key, value] of Object.entries(right))
    merged.set(key, merged.has(key) ? mergeValues(merged.get(key), value) : value);
  return Object.fromEntries(merged);
}

function mergeValues(left: unknown, right: unknown): unknown {
  if (isRecord(left) && isRecord(right)) return mergeMaps(left, right);
  if (Array.isArray(left) && Array.isArray(right)) return [...left, ...right];
  return right ?? left;
}
