import type { KubeObject, ObjectKey, Stored } from "@keelson/core";
import { plainKey, type Snapshot } from "../watch/snapshot.ts";
import type { InformerCreate, InformerDelete, InformerEvent, InformerUpdate } from "./informer.ts";

/** What has happened to an object of a store. */
export type InformerChange<T extends KubeObject> =
  | { readonly type: "create"; readonly snapshot: Snapshot<T>; readonly isInInitialList: boolean }
  | {
      readonly type: "update";
      readonly old: Snapshot<T>;
      readonly snapshot: Snapshot<T>;
      readonly isSync: boolean;
    }
  | { readonly type: "delete"; readonly snapshot: Snapshot<T>; readonly finalStateUnknown: boolean };

/** What it means that an object is now in a store, where there was this before [IN4, IN6]. */
export function changeTo<T extends KubeObject>(
  snapshot: Snapshot<T>,
  old: Snapshot<T> | undefined,
  isInInitialList = false,
): InformerChange<T> {
  if (old === undefined) return { type: "create", snapshot, isInInitialList };
  return { type: "update", old, snapshot, isSync: isSameVersion(old, snapshot) };
}

/** What it means that these are the objects now, where there were those before: what is gone comes first [IN5]. */
export function* changesBetween<T extends KubeObject>(
  before: ReadonlyMap<string, Snapshot<T>>,
  now: ReadonlyMap<string, Snapshot<T>>,
  isInInitialList: boolean,
): Iterable<InformerChange<T>> {
  for (const [keyText, snapshot] of before) {
    if (!now.has(keyText)) yield { type: "delete", snapshot, finalStateUnknown: true };
  }
  for (const [keyText, snapshot] of now) yield changeTo(snapshot, before.get(keyText), isInInitialList);
}

/** What a subscriber is told. Objects are parsed no earlier than it looks at them. */
export function toEvent<T extends KubeObject>(change: InformerChange<T>): InformerEvent<T> {
  switch (change.type) {
    case "create":
      return new CreateEvent(change.snapshot, change.isInInitialList);
    case "update":
      return new UpdateEvent(change.old, change.snapshot, change.isSync);
    case "delete":
      return new DeleteEvent(change.snapshot, change.finalStateUnknown);
  }
}

function isSameVersion(a: Snapshot<KubeObject>, b: Snapshot<KubeObject>): boolean {
  return a.resourceVersion === b.resourceVersion && a.resourceVersion !== "";
}

class CreateEvent<T extends KubeObject> implements InformerCreate<T> {
  readonly type = "create";
  readonly key: ObjectKey;
  readonly isInInitialList: boolean;
  readonly #snapshot: Snapshot<T>;

  constructor(snapshot: Snapshot<T>, isInInitialList: boolean) {
    this.key = plainKey(snapshot);
    this.isInInitialList = isInInitialList;
    this.#snapshot = snapshot;
  }

  get object(): Stored<T> {
    return this.#snapshot.object;
  }
}

class UpdateEvent<T extends KubeObject> implements InformerUpdate<T> {
  readonly type = "update";
  readonly key: ObjectKey;
  readonly isSync: boolean;
  readonly #old: Snapshot<T>;
  readonly #snapshot: Snapshot<T>;

  constructor(old: Snapshot<T>, snapshot: Snapshot<T>, isSync: boolean) {
    this.key = plainKey(snapshot);
    this.isSync = isSync;
    this.#old = old;
    this.#snapshot = snapshot;
  }

  get old(): Stored<T> {
    return this.#old.object;
  }

  get object(): Stored<T> {
    return this.#snapshot.object;
  }
}

class DeleteEvent<T extends KubeObject> implements InformerDelete<T> {
  readonly type = "delete";
  readonly key: ObjectKey;
  readonly finalStateUnknown: boolean;
  readonly #snapshot: Snapshot<T>;

  constructor(snapshot: Snapshot<T>, finalStateUnknown: boolean) {
    this.key = plainKey(snapshot);
    this.finalStateUnknown = finalStateUnknown;
    this.#snapshot = snapshot;
  }

  get object(): Stored<T> {
    return this.#snapshot.object;
  }
}
