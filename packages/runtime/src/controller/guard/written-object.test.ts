import type { KubeObject } from "@keelson/core";
import { describe, expect, it } from "vitest";
import { defaultLimits } from "./guard-limits.ts";
import { type AnsweredWrite, WrittenObject } from "./written-object.ts";

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

/** The writes of one key to one object; each is a run of its own, a second after the last. */
class Writes {
  readonly object = new WrittenObject(defaultLimits);
  now = 0;

  note(before: KubeObject | undefined, answer: KubeObject, rest: Partial<AnsweredWrite> = {}) {
    this.now += 1000;
    return this.object.note({ run: {}, before, answer, now: this.now, isHeld: false, ...rest });
  }

  /** Finds the field at 1, where somebody has put it, and sets it to 3. */
  setBack(version: number, rest: Partial<AnsweredWrite> = {}): void {
    this.note(state(version, { replicas: 1 }), state(version + 1, { replicas: 3 }), rest);
  }
}

describe("a write that changed nothing", () => {
  it("is known by the version before it, or by the one that the last write was answered with", () => {
    const writes = new Writes();
    expect(writes.note(state(5, {}), state(5, {})).isNoop).toBe(true);
    expect(writes.note(undefined, state(6, {})).isNoop).toBe(false);
    expect(writes.note(undefined, state(6, {})).isNoop).toBe(true);
    expect(writes.note(state(4, {}), state(6, {})).isNoop).toBe(true);
    expect(writes.note(state(6, {}), state(7, {})).isNoop).toBe(false);
  });

  it("makes a loop when five runs within ten seconds do it, and five more make the next", () => {
    const writes = new Writes();
    const loops = Array.from({ length: 10 }, () => writes.note(state(5, {}), state(5, {})).isNoopLoop);
    expect(loops).toEqual([false, false, false, false, true, false, false, false, false, true]);
  });

  it("counts once for each run", () => {
    const writes = new Writes();
    const run = {};
    const loops = Array.from(
      { length: 9 },
      () => writes.note(state(5, {}), state(5, {}), { run }).isNoopLoop,
    );
    expect(loops).not.toContain(true);
  });

  it("makes no loop when it happens every few seconds only", () => {
    const writes = new Writes();
    const loops = Array.from({ length: 50 }, (_, index) =>
      writes.note(state(5, {}), state(5, {}), { now: index * 2500 }),
    );
    expect(loops.some(({ isNoopLoop }) => isNoopLoop)).toBe(false);
  });
});

describe("a field that somebody else writes too", () => {
  it("is suspected when it was set back three times", () => {
    const writes = new Writes();
    for (const version of [10, 20, 30]) writes.setBack(version);
    expect(writes.object.suspicion).toBeUndefined();
    writes.setBack(40);
    expect(writes.object.suspicion).toEqual({ path: "spec.replicas", flips: 3, ownManagers: ["own"] });
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

  it("is not suspected when the key itself sets it to and fro", () => {
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

  it("is suspected at once when it was contested before and the key is held", () => {
    const writes = new Writes();
    for (const version of [10, 20, 30, 40]) writes.setBack(version);
    writes.object.settle("spec.replicas", "contested");
    writes.setBack(50);
    expect(writes.object.suspicion).toBeUndefined();
    writes.setBack(60, { isHeld: true });
    expect(writes.object.suspicion).toMatchObject({ path: "spec.replicas", flips: 2 });
  });

  it("starts over when it turned out to be uncontested, and is left alone when nothing can be known", () => {
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

  it("is suspected when the key removes it and somebody puts it back", () => {
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

  it("is told apart without its value being kept", () => {
    const writes = new Writes();
    writes.setBack(10);
    expect(writes.object.isAsWritten("spec.replicas", 3)).toBe(true);
    expect(writes.object.isAsWritten("spec.replicas", 1)).toBe(false);
    expect(writes.object.isAsWritten("spec.other", undefined)).toBe(false);
  });
});
