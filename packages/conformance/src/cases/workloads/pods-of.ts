import { isRecord } from "@keelson/core";
import { field, type Stage } from "../../stage.ts";
import { itemsOf } from "../kubectl/settling.ts";
import type { Fields } from "../manifests.ts";
import { manifest } from "../manifests.ts";

/** A template of pods that run until they are deleted, labelled `app: <name>`. */
export function podTemplateOf(name: string, rest: { spec?: Fields; annotations?: Fields } = {}): Fields {
  return {
    metadata: { labels: { app: name }, ...(rest.annotations && { annotations: rest.annotations }) },
    // Little grace: nothing is won by waiting longer.
    spec: { terminationGracePeriodSeconds: 1, containers: [{ name: "main", image: "web:1" }], ...rest.spec },
  };
}

/** A workload of `apps/v1` whose pods have its name as their label `app`. */
export function workloadOf(kind: string, name: string, spec: Fields = {}): Fields {
  return manifest("apps/v1", kind, name, {
    spec: { selector: { matchLabels: { app: name } }, template: podTemplateOf(name), ...spec },
  });
}

/** Records some fields of the objects at a path, in an order that does not depend on their names. */
export async function showAll(stage: Stage, path: string, fields: readonly string[]): Promise<void> {
  const response = await stage.until(stage.path(path), (list) => Array.isArray(field(list, "items")));
  const shown = itemsOf(response).map((object) => chosen(object, fields));
  stage.record(`fields of ${path}`, inOrder(shown));
}

/** Records some fields of the object at a path. */
export async function show(stage: Stage, path: string, fields: readonly string[]): Promise<void> {
  const object = await stage.until(stage.path(path), isRecord);
  stage.record(`fields of ${path}`, chosen(object, fields));
}

/** Waits until there are `count` Events about objects of a kind, and records their texts; they come in any order. */
export async function showEvents(stage: Stage, kind: string, count: number): Promise<void> {
  const ofKind = (response: unknown): readonly unknown[] =>
    itemsOf(response).filter((event) => field(event, "involvedObject.kind") === kind);
  const response = await stage.until(stage.path("events"), (list) => ofKind(list).length >= count);
  const texts = ofKind(response).map((event) =>
    chosen(event, ["type", "reason", "message", "source.component"]),
  );
  stage.record(`events of ${kind}`, inOrder(texts));
}

/** Conditions by type, without their times; the order of conditions has no meaning. */
export async function showConditions(stage: Stage, path: string): Promise<void> {
  const object = await stage.until(stage.path(path), isRecord);
  const conditions = field(object, "status.conditions");
  const shown = (Array.isArray(conditions) ? conditions : []).map((condition) =>
    chosen(condition, ["type", "status", "reason", "message"]),
  );
  stage.record(`conditions of ${path}`, inOrder(shown));
}

function chosen(object: unknown, fields: readonly string[]): Fields {
  return Object.fromEntries(fields.map((name) => [name, field(object, name) ?? null]));
}

/** The same value with its fields in order. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isRecord(value)) return value;
  const entries = Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(entries.map(([name, inner]) => [name, sorted(inner)]));
}

/** Ordered by what is the same on every server: generated parts of names do not count. */
function inOrder(shown: readonly Fields[]): readonly Fields[] {
  const rank = (one: Fields): string =>
    JSON.stringify(sorted(one))
      .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, "")
      .replaceAll(/-[a-z0-9]{1,10}\b|(?<=hash":")\w+/g, "-");
  return shown.toSorted((one, other) => (rank(one) < rank(other) ? -1 : rank(one) > rank(other) ? 1 : 0));
}
