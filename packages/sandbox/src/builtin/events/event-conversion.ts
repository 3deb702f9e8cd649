import { draft, type GenericObject } from "@keelson/core";
import type { MutableObject } from "../../resource/mutable-object.ts";

/** Names of `v1`, in which events are kept, and of `events.k8s.io/v1` for the same fields. */
const names: readonly (readonly [core: string, other: string])[] = [
  ["involvedObject", "regarding"],
  ["message", "note"],
  ["source", "deprecatedSource"],
  ["firstTimestamp", "deprecatedFirstTimestamp"],
  ["lastTimestamp", "deprecatedLastTimestamp"],
  ["count", "deprecatedCount"],
  ["reportingComponent", "reportingController"],
];
const toOther: ReadonlyMap<string, string> = new Map(names);
const toCore: ReadonlyMap<string, string> = new Map(names.map(([core, other]) => [other, core]));

const otherVersion = "events.k8s.io/v1";

/** Events are served in two groups and are the same objects in both; only some names differ. */
export function convertEvent(object: GenericObject): MutableObject {
  const isOther = object.apiVersion === otherVersion;
  const renamed = isOther ? toCore : toOther;
  const { apiVersion: _version, kind, metadata, ...fields } = object;
  const converted: MutableObject = {
    apiVersion: isOther ? "v1" : otherVersion,
    kind,
    metadata: draft(metadata),
  };
  for (const [name, value] of Object.entries(fields)) converted[renamed.get(name) ?? name] = draft(value);
  return converted;
}
