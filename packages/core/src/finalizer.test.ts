import { describe, expect, it } from "vitest";
import {
  addFinalizerPatch,
  BeingDeletedError,
  hasFinalizer,
  InvalidFinalizerError,
  removeFinalizerPatch,
  withFinalizer,
  withoutFinalizer,
} from "./finalizer.ts";
import { freeze } from "./immutable.ts";
import type { KubeObject, ObjectMeta } from "./meta.ts";
import { NotStoredError } from "./stored-object.ts";

const ours = "example.com/cleanup";
const theirs = "example.com/audit";

const objectWith = (metadata: ObjectMeta): KubeObject =>
  freeze({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "settings", namespace: "shop", uid: "uid-1", resourceVersion: "41", ...metadata },
  });

describe("adding a finalizer", () => {
  it("[CL8] puts it after the other finalizers, and leaves the argument alone", () => {
    const object = objectWith({ finalizers: [theirs] });
    expect(withFinalizer(object, ours).metadata).toEqual({ ...object.metadata, finalizers: [theirs, ours] });
    expect(withFinalizer(objectWith({}), ours).metadata.finalizers).toEqual([ours]);
    expect(object.metadata.finalizers).toEqual([theirs]);
  });

  it("[CL8] changes nothing if it is there, even while the object is being deleted", () => {
    const object = objectWith({ finalizers: [ours], deletionTimestamp: "2026-01-01T00:00:00Z" });
    expect(withFinalizer(object, ours)).toBe(object);
    expect(addFinalizerPatch(object, ours)).toBeUndefined();
  });

  it("[CL8] is refused while the object is being deleted", () => {
    const object = objectWith({ finalizers: [theirs], deletionTimestamp: "2026-01-01T00:00:00Z" });
    for (const add of [withFinalizer, addFinalizerPatch]) {
      const error = catchError(() => add(object, ours));
      expect(error).toBeInstanceOf(BeingDeletedError);
      expect(error).toMatchObject({ finalizer: ours, deletionTimestamp: "2026-01-01T00:00:00Z" });
    }
  });

  it.each(["", "a b", "example.com/", "/cleanup"])("is refused for the name %j", (name) => {
    expect(() => withFinalizer(objectWith({}), name)).toThrow(InvalidFinalizerError);
    expect(() => addFinalizerPatch(objectWith({}), name)).toThrow(InvalidFinalizerError);
  });

  it("[CL8] as a patch holds only for the object as it was read", () => {
    const guard = { op: "test", path: "/metadata/resourceVersion", value: "41" };
    expect(addFinalizerPatch(objectWith({ finalizers: [theirs] }), ours)).toEqual([
      guard,
      { op: "add", path: "/metadata/finalizers/-", value: ours },
    ]);
    for (const object of [objectWith({}), objectWith({ finalizers: [] })]) {
      expect(addFinalizerPatch(object, ours)).toEqual([
        guard,
        { op: "add", path: "/metadata/finalizers", value: [ours] },
      ]);
    }
  });

  it("[CL8] as a patch needs the version of the object", () => {
    expect(() => addFinalizerPatch(objectWith({ resourceVersion: "" }), ours)).toThrow(NotStoredError);
  });
});

describe("removing a finalizer", () => {
  it("[CL8] keeps the other finalizers, and returns the same object if it does not have it", () => {
    const object = objectWith({ finalizers: [theirs, ours, ours] });
    expect(hasFinalizer(object, ours)).toBe(true);
    expect(withoutFinalizer(object, ours).metadata.finalizers).toEqual([theirs]);
    expect(hasFinalizer(objectWith({}), ours)).toBe(false);
    const without = objectWith({ finalizers: [theirs] });
    expect(withoutFinalizer(without, ours)).toBe(without);
  });

  it("[CL8] as a patch removes it only where it was, from the object that was read", () => {
    expect(removeFinalizerPatch(objectWith({ finalizers: [theirs, ours] }), ours)).toEqual([
      { op: "test", path: "/metadata/uid", value: "uid-1" },
      { op: "test", path: "/metadata/finalizers/1", value: ours },
      { op: "remove", path: "/metadata/finalizers/1" },
    ]);
  });

  it("[CL8] as a patch removes repetitions from the end", () => {
    const patch = removeFinalizerPatch(objectWith({ finalizers: [ours, theirs, ours] }), ours) ?? [];
    expect(patch.filter(({ op }) => op === "remove").map(({ path }) => path)).toEqual([
      "/metadata/finalizers/2",
      "/metadata/finalizers/0",
    ]);
  });

  it("[CL8] needs no patch if it is not there, and the uid if it is", () => {
    expect(removeFinalizerPatch(objectWith({ finalizers: [theirs] }), ours)).toBeUndefined();
    expect(() => removeFinalizerPatch(objectWith({ finalizers: [ours], uid: "" }), ours)).toThrow(
      NotStoredError,
    );
  });
});

function catchError(action: () => unknown): unknown {
  try {
    return action();
  } catch (error) {
    return error;
  }
}
