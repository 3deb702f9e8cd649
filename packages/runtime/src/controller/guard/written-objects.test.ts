import type { KubeObject } from "@keelson/core";
import { describe, expect, it } from "vitest";
import { defaultLimits } from "./loop-detection.ts";
import { type CompletedWrite, WrittenObject } from "./written-objects.ts";

type Spec = Readonly<Record<string, unknown>>;

const state = (version: number | string, spec: Spec): KubeObject & { spec: Spec } => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: {
    name: "web",
    resourceVersion: String(version),
    managedFields: [{ manager: "own", fieldsV1: { "f:spec": { "f:replicas": {} } } }],
  },
  spec,
});

const free = { noop: 0, selfWoken: 0, pingPong: 0, replaced: 0 };

/** The writes of one key to one object; each is a run of its own, a second after the last. */
class Writes {
  readonly object = new WrittenObject(defaultLimits);
  now = 0;

  note(before: KubeObject | undefined, response: KubeObject, rest: Partial<CompletedWrite> = {}) {
    const now = rest.now ?? this.now + 1000;
    this.now = now;
    const run = { beganAtMs: now, endedAtMs: now };
    return this.object.note({ run, before, response, now, holds: free, ...rest });
  }

  /** Finds the field at 1, which another writer has set, and sets it to 3. */
  setBack(version: number, rest: Partial<CompletedWrite> = {}): void {
    this.note(state(version, { replicas: 1 }), state(version + 1, { replicas: 3 }), rest);
  }
}

describe("a write that changed nothing", () => {
  it("is recognized by the version before it, or by the version in the response to the last write", () => {
    const writes = new Writes();
    expect(writes.note(state(5, {}), state(5, {})).isNoop).toBe(true);
    expect(writes.note(undefined, state(6, {})).isNoop).toBe(false);
    expect(writes.note(undefined, state(6, {})).isNoop).toBe(true);
    expect(writes.note(state(4, {}), state(6, {})).isNoop).toBe(true);
    expect(writes.note(state(6, {}), state(7, {})).isNoop).toBe(false);
  });

  it("makes a loop when twenty runs within ten seconds do it", () => {
    const writes = new Writes();
    const signs = Array.from(
      { length: 20 },
      (_, index) => writes.note(state(5, {}), state(5, {}), { now: index * 500 }).noop,
    );
    expect(signs).toEqual([...Array.from({ length: 19 }, () => "none"), "begins"]);
  });

  it("makes no loop when it happens every second only", () => {
    const writes = new Writes();
    const signs = Array.from({ length: 50 }, () => writes.note(state(5, {}), state(5, {})).noop);
    expect(new Set(signs)).toEqual(new Set(["none"]));
  });
});

describe("a write that changed something", () => {
  /** A change of the version that the key itself has made. */
  const change = (writes: Writes, version: number, rest: Partial<CompletedWrite> = {}) =>
    writes.note(state(version, { at: version }), state(version + 1, { at: version + 1 }), rest).selfWoken;
  const changes = (writes: Writes, from: number, count: number) =>
    Array.from({ length: count }, (_, index) => change(writes, from + index, { now: writes.now + 100 }));

  it("makes a loop when twenty runs within ten seconds do it and no other writer does", () => {
    const signs = changes(new Writes(), 1, 20);
    expect(signs.indexOf("begins")).toBe(19);
  });

  it("makes none when another writer wrote in between", () => {
    const writes = new Writes();
    const signs = [...changes(writes, 1, 15), ...changes(writes, 100, 19)];
    expect(new Set(signs)).toEqual(new Set(["none"]));
    expect(change(writes, 119, { now: writes.now + 100 })).toBe("begins");
  });

  it("makes none when it comes every second, or twenty times in one run", () => {
    const slow = new Writes();
    const signs = Array.from({ length: 40 }, (_, index) => change(slow, index));
    const once = new Writes();
    const run = { beganAtMs: 0, endedAtMs: 0 };
    for (let index = 0; index < 40; index++) signs.push(change(once, index, { run, now: index }));
    expect(new Set(signs)).toEqual(new Set(["none"]));
  });

  it("makes a loop also when the state before it is older than the last write, or unknown: the cache is late", () => {
    for (const before of [state(5, {}), undefined]) {
      const writes = new Writes();
      writes.note(before, state(10, {}), { now: 0 });
      const signs = Array.from(
        { length: 20 },
        (_, index) => writes.note(before, state(11 + index, {}), { now: index * 100 }).selfWoken,
      );
      expect(signs.indexOf("begins")).toBe(before === undefined ? 19 : 18);
    }
  });
});

describe("an object that is created again and again", () => {
  const created = (uid: string, version: number): KubeObject => {
    const object = state(version, {});
    return { ...object, metadata: { ...object.metadata, uid } };
  };

  it("makes a loop when ten runs within a minute create it after it was deleted", () => {
    const writes = new Writes();
    const signs = Array.from(
      { length: 12 },
      (_, index) => writes.note(undefined, created(`uid-${index}`, 10 * index + 1)).replaced,
    );
    // The first is no repetition.
    expect(signs.indexOf("begins")).toBe(10);
  });

  it("makes none when another writer created it, or when it is slow", () => {
    const other = new Writes();
    const slow = new Writes();
    for (let index = 0; index < 30; index++) {
      const uid = `uid-${index}`;
      expect(other.note(created(uid, 10 * index), created(uid, 10 * index + 1)).replaced).toBe("none");
      const now = slow.now + 7_000;
      expect(slow.note(undefined, created(uid, 10 * index + 1), { now }).replaced).toBe("none");
    }
  });

  it("makes a loop when ten runs delete it after it was created, and none when a deletion is only repeated", () => {
    const signsOf = (uids: readonly string[]) => {
      const writes = new Writes();
      return uids.map((uid, index) => {
        const now = index * 1_000;
        const run = { beganAtMs: now, endedAtMs: now };
        return writes.object.noteDeletion(uid, { run, now, holds: free });
      });
    };
    expect(signsOf(Array.from({ length: 12 }, (_, index) => `uid-${index}`)).indexOf("begins")).toBe(10);
    expect(new Set(signsOf(Array.from({ length: 30 }, () => "uid")))).toEqual(new Set(["none"]));
  });
});

describe("a field that another writer sets as well", () => {
  it("is suspected when it was set back three times", () => {
    const writes = new Writes();
    for (const version of [10, 20, 30]) writes.setBack(version);
    expect(writes.object.suspicion).toBeUndefined();
    writes.setBack(40);
    expect(writes.object.suspicion).toEqual({
      path: "spec.replicas",
      flips: 3,
      ownManagers: ["own"],
      persists: false,
    });
  });

  it("is not suspected when that took longer than the window", () => {
    const writes = new Writes();
    for (const [index, version] of [10, 20, 30, 40, 50, 60].entries()) {
      writes.setBack(version, { now: index * 30_000 });
    }
    expect(writes.object.suspicion).toBeUndefined();
  });

  it("is not suspected when the key sets another value each time", () => {
    const writes = new Writes();
    for (const version of [10, 20, 30, 40, 50, 60]) {
      writes.note(state(version, { replicas: 1 }), state(version + 1, { replicas: version }));
    }
    expect(writes.object.suspicion).toBeUndefined();
  });

  it("is not suspected when the key itself sets it back and forth", () => {
    const writes = new Writes();
    for (let version = 1; version < 20; version++) {
      writes.note(
        state(version, { paused: version % 2 === 0 }),
        state(version + 1, { paused: version % 2 !== 0 }),
      );
    }
    expect(writes.object.suspicion).toBeUndefined();
  });

  it("is not suspected by a cache that is behind the own writes", () => {
    const writes = new Writes();
    const behind = state(10, { replicas: 1 });
    for (let version = 11; version < 20; version++) {
      writes.note(behind, state(version, { replicas: 3, other: version }));
    }
    expect(writes.object.suspicion).toBeUndefined();
  });

  it("is suspected again when it was contested and is set back three times as fast as the hold allows", () => {
    const writes = new Writes();
    for (const version of [10, 20, 30, 40]) writes.setBack(version);
    writes.object.settle("spec.replicas", "contested");
    const holds = { ...free, pingPong: 1000 };
    for (const version of [50, 60]) writes.setBack(version, { holds });
    writes.setBack(70, { holds, now: writes.now + 1200 });
    for (const version of [80, 90]) writes.setBack(version, { holds });
    expect(writes.object.suspicion).toBeUndefined();
    writes.setBack(100, { holds });
    expect(writes.object.suspicion).toMatchObject({ path: "spec.replicas", flips: 3, persists: true });
  });

  it("is counted anew when it proves to be uncontested, and is ignored when it is unknowable", () => {
    const writes = new Writes();
    for (const version of [10, 20, 30, 40]) writes.setBack(version);
    writes.object.settle("spec.replicas", "uncontested");
    for (const version of [50, 60]) writes.setBack(version);
    expect(writes.object.suspicion).toBeUndefined();
    writes.setBack(70);
    expect(writes.object.suspicion).toMatchObject({ flips: 3 });
    writes.object.settle("spec.replicas", "unknowable");
    for (const version of [80, 90, 100, 110, 120]) writes.setBack(version);
    expect(writes.object.suspicion).toBeUndefined();
  });

  it("is suspected when the key removes it and another writer adds it again", () => {
    const writes = new Writes();
    for (const version of [10, 20, 30, 40]) {
      writes.note(state(version, { replicas: 1 }), state(version + 1, {}));
    }
    expect(writes.object.suspicion).toMatchObject({ path: "spec.replicas" });
  });

  it("is suspected also where versions have no order", () => {
    const writes = new Writes();
    for (const version of ["a", "b", "c", "d"]) {
      writes.note(state(version, { replicas: 1 }), state(`${version}!`, { replicas: 3 }));
    }
    expect(writes.object.suspicion).toMatchObject({ path: "spec.replicas" });
  });

  it("is compared without its value being kept", () => {
    const writes = new Writes();
    writes.setBack(10);
    expect(writes.object.isAsWritten("spec.replicas", 3)).toBe(true);
    expect(writes.object.isAsWritten("spec.replicas", 1)).toBe(false);
    expect(writes.object.isAsWritten("spec.other", undefined)).toBe(false);
  });
});
