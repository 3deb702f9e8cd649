import { draft, type GenericObject } from "@keelson/core";
import type { MutableObject } from "../../src/resource/mutable-object.ts";
import type { Strategy, WriteContext } from "../../src/resource/strategy.ts";
import { formatProblem } from "../../src/status/field-problem.ts";
import type { StoredObject } from "../../src/store/store.ts";

/** What a strategy makes of an object that is written, without a server around it; for tests. */
export interface Tried {
  readonly object: MutableObject;
  readonly problems: readonly string[];
}

/** Fields of an object without its identity. */
export type TriedFields = Readonly<Record<string, unknown>>;

export function tryCreate(
  strategy: Strategy,
  fields: TriedFields,
  stored: readonly GenericObject[] = [],
): Tried {
  const object = objectOf(fields);
  const context = contextOf(undefined, stored);
  strategy.setDefaults(object);
  strategy.prepareForCreate(object, context);
  strategy.setDefaults(object);
  return { object, problems: strategy.validate(object, context).map(formatProblem) };
}

export function tryUpdate(
  strategy: Strategy,
  old: GenericObject,
  change: (object: MutableObject) => void,
  subresource?: string,
): Tried {
  const stored: MutableObject = draft(old);
  stored.metadata.resourceVersion = "1";
  const object = draft(stored);
  change(object);
  const context = contextOf(subresource, [stored]);
  strategy.setDefaults(object);
  strategy.prepareForUpdate(object, stored, context);
  strategy.setDefaults(object);
  const problems = [
    ...strategy.validate(object, context),
    ...strategy.validateUpdate(object, stored, context),
  ];
  return { object, problems: problems.map(formatProblem) };
}

function objectOf(fields: TriedFields): MutableObject {
  return {
    apiVersion: "v1",
    kind: "Tried",
    ...draft(fields),
    metadata: { name: "x", namespace: "default", uid: "uid-1", ...metadataOf(fields) },
  };
}

function metadataOf({ metadata }: TriedFields): object {
  return typeof metadata === "object" && metadata !== null ? draft(metadata) : {};
}

function contextOf(subresource: string | undefined, stored: readonly GenericObject[]): WriteContext {
  const user = { username: "ann", groups: ["staff"] };
  return { subresource, user, now: 0, read: { get: () => undefined, list: () => stored.map(asStored) } };
}

/** With the metadata that every stored object has. */
function asStored(object: GenericObject): StoredObject {
  const identity = {
    name: "x",
    uid: "uid-1",
    resourceVersion: "1",
    creationTimestamp: "2030-01-01T00:00:00Z",
  };
  return { ...object, metadata: { ...identity, ...object.metadata } };
}
