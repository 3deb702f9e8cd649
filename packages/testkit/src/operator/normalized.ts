import { formatJson, isRecord, type KubeObject, parseJson } from "@keelson/core";
import { appliedAnnotation } from "keelson/object";

/** What the server chooses anew for each object, and what is no part of the desired state. */
const chosenByServer: ReadonlySet<string> = new Set([
  "resourceVersion",
  "clusterIP",
  "clusterIPs",
  "nodePort",
  "healthCheckNodePort",
  "podIP",
  "podIPs",
  "hostIP",
  "hostIPs",
  "nodeName",
  "selfLink",
]);

const uid = /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g;
const time = /\b\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}:\d{2})/g;

/**
 * The objects without what differs each time that the same is done: uids, times, versions, addresses, the nodes that pods
 * run on. The names of namespaces and generated names are replaced wherever they occur. In an order that follows from
 * what is left, so that two worlds in which the same was done are equal.
 */
export function normalized(objects: readonly KubeObject[]): readonly unknown[] {
  const names = replacements(objects);
  return objects
    .map((object): unknown => parseJson(replaceAll(formatJson(object), names)))
    .map(withoutServerChoices)
    .map((object) => ({ object, order: formatJson(object) }))
    .sort((one, other) => (one.order < other.order ? -1 : 1))
    .map(({ object }) => object);
}

/** Longer names first: one may be the beginning of another. */
function replacements(objects: readonly KubeObject[]): readonly (readonly [string, string])[] {
  const pairs = new Map<string, string>();
  for (const { metadata } of objects) {
    const { name, namespace, generateName } = metadata;
    if (namespace !== undefined) pairs.set(namespace, "<namespace>");
    if (name !== undefined && generateName !== undefined && generateName !== "")
      pairs.set(name, `${generateName}<generated>`);
  }
  return [...pairs].sort(([one], [other]) => other.length - one.length);
}

function replaceAll(text: string, names: readonly (readonly [string, string])[]): string {
  const timeless = text.replace(uid, "<uid>").replace(time, "<time>");
  return names.reduce((sofar, [name, placeholder]) => sofar.replaceAll(name, placeholder), timeless);
}

function withoutServerChoices(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutServerChoices);
  if (!isRecord(value)) return value;
  const entries = Object.entries(value)
    .filter(([key]) => !chosenByServer.has(key))
    .map(([key, part]) => [key, normalizedPart(key, part)] as const)
    .sort(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(entries);
}

function normalizedPart(key: string, part: unknown): unknown {
  if (key === "managedFields") return managers(part);
  // It is computed from uids, among other values.
  if (key === appliedAnnotation) return String(part).replace(/:.*$/, ":<digest>");
  return withoutServerChoices(part);
}

/** In the order of their names: the server has them in that of their times. */
function managers(value: unknown): unknown {
  const entries = Array.isArray(value) ? value.map(withoutServerChoices) : [];
  return entries
    .map((entry) => formatJson(entry))
    .sort()
    .map((text): unknown => parseJson(text));
}
