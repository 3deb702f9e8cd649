import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  checkRotationRules,
  defaultRotationRules,
  isAheadOf,
  nextRotationAt,
  planRotation,
  type RotationRules,
  type RotationState,
  type RotationStep,
  type Validity,
} from "./rotation-plan.ts";

const day = 86_400_000;
const hour = 3_600_000;
const hosts = ["hook.ns.svc"];
const rules = { ...defaultRotationRules, hosts };

const valid = (fromDay: number, toDay: number): Validity => ({
  notBeforeMs: fromDay * day,
  notAfterMs: toDay * day,
});
const state = (part: Partial<RotationState> = {}): RotationState => ({
  signer: valid(0, 366),
  next: undefined,
  previous: undefined,
  leaf: { ...valid(0, 90), hosts },
  ...part,
});
const leaf = (fromDay: number) => ({ ...valid(fromDay, fromDay + 90), hosts });

describe("planRotation", () => {
  it.each<[string, RotationState | undefined, number, RotationStep]>([
    ["creates where nothing is", undefined, 0, "create"],
    ["leaves fresh material alone", state(), 1, "none"],
    ["[WH9] keeps a leaf until two thirds of its life", state(), 59.9, "none"],
    ["[WH9] renews a leaf at two thirds of its life", state(), 60, "renew"],
    [
      "renews a leaf for other hosts at once",
      state({ leaf: { ...valid(0, 90), hosts: ["other"] } }),
      1,
      "renew",
    ],
    ["renews a leaf that has run out", state(), 100, "renew"],
    [
      "[WH9] introduces an authority at two thirds of the signer's life",
      state({ leaf: leaf(240) }),
      244,
      "introduce",
    ],
    [
      "[WH9] lets a new authority wait for the overlap",
      state({ leaf: leaf(240), next: { ...valid(244, 610), introducedAtMs: 244 * day } }),
      244 + 0.9 / 24,
      "none",
    ],
    [
      "renews a leaf by the old authority while the new one waits",
      state({ leaf: leaf(180), next: { ...valid(244, 610), introducedAtMs: 244 * day } }),
      244.01,
      "renew",
    ],
    [
      "[WH9] switches after the overlap",
      state({ leaf: leaf(240), next: { ...valid(244, 610), introducedAtMs: 244 * day } }),
      244 + 1 / 24,
      "switch",
    ],
    [
      "[WH9] trusts the authority before for the overlap",
      state({ signer: valid(244, 610), leaf: leaf(244), previous: { retiredAtMs: 245 * day } }),
      245 + 0.9 / 24,
      "none",
    ],
    [
      "[WH9] drops it then",
      state({ signer: valid(244, 610), leaf: leaf(244), previous: { retiredAtMs: 245 * day } }),
      245 + 1 / 24,
      "retire",
    ],
    [
      "[WH9] issues everything again when the signer is not valid yet",
      state({ signer: valid(10, 376) }),
      9.9,
      "create",
    ],
    [
      "switches to a trusted authority when the signer is not valid yet",
      state({ signer: valid(10, 376), next: { ...valid(1, 367), introducedAtMs: 2 * day } }),
      3,
      "switch",
    ],
    ["[WH9] renews a leaf that is not valid yet", state({ leaf: leaf(10) }), 9.9, "renew"],
    ["leaves a leaf alone that has just become valid", state({ leaf: leaf(10) }), 10, "none"],
    [
      "introduces another authority in place of one that is not valid yet",
      state({ next: { ...valid(10, 376), introducedAtMs: 10 * day } }),
      9,
      "introduce",
    ],
    [
      "[WH9] does not wait for an authority that was introduced in the future",
      state({ next: { ...valid(1, 367), introducedAtMs: 20 * day } }),
      2,
      "redate",
    ],
    [
      "[WH9] does not wait for an authority that was retired in the future",
      state({ previous: { retiredAtMs: 20 * day } }),
      2,
      "redate",
    ],
    ["issues everything again when the signer has expired", state(), 366, "create"],
    [
      "switches without a wait to a trusted authority when the signer has run out",
      state({ next: { ...valid(365, 731), introducedAtMs: 366 * day } }),
      366,
      "switch",
    ],
  ])("%s", (_, before, atDay, step) => {
    expect(planRotation(before, rules, atDay * day)).toBe(step);
  });

  it.each<[string, readonly string[], readonly string[], RotationStep]>([
    ["an IPv6 address", ["0:0:0:0:0:0:0:1"], ["::1"], "none"],
    ["an IPv6 address in capitals", ["FE80:0:0:0:0:0:0:A"], ["fe80::000a"], "none"],
    ["an IPv4 address within one", ["0:0:0:0:0:FFFF:7F00:1"], ["::ffff:127.0.0.1"], "none"],
    ["a name in capitals", ["hook.ns.svc"], ["Hook.ns.svc"], "none"],
    ["another IPv6 address", ["0:0:0:0:0:0:0:1"], ["::2"], "renew"],
    ["one host more", ["::1"], ["::1", "::2"], "renew"],
    ["one host twice", ["::1"], ["::1", "0::1"], "none"],
  ])("[WH9] recognizes hosts in all their forms: %s", (_, has, desired, step) => {
    const before = state({ leaf: { ...valid(0, 90), hosts: has } });
    expect(planRotation(before, { ...rules, hosts: desired }, day)).toBe(step);
  });

  it.each<[string, Partial<RotationState>, boolean]>([
    ["nothing", {}, false],
    ["the signer", { signer: valid(2, 368) }, true],
    ["the next authority", { next: { ...valid(2, 368), introducedAtMs: 0 } }, true],
    ["the leaf", { leaf: leaf(2) }, true],
  ])("detects what is not valid yet: %s", (_, part, isAhead) => {
    expect(isAheadOf(day, state(part))).toBe(isAhead);
  });

  it.each([
    [{ leafLifeMs: 200 * day }, "a third"],
    [{ overlapMs: 90 * day }, "a sixth"],
    [{ overlapMs: 0 }, "more than 0"],
  ])("refuses rules with which an authority could expire too early: %j", (part, problem) => {
    expect(() => checkRotationRules({ ...defaultRotationRules, ...part })).toThrow(problem);
  });
});

/** What stands for a certificate: who vouches for it, and when it is valid. */
interface World {
  state: RotationState;
  signer: number;
  next: number | undefined;
  previous: number | undefined;
  leafSigner: number;
}

function take(
  step: RotationStep,
  world: World,
  now: number,
  { authorityLifeMs, leafLifeMs }: RotationRules,
): World {
  const life = (ms: number): Validity => ({ notBeforeMs: now, notAfterMs: now + ms });
  const { state, signer, next, previous, leafSigner } = world;
  const newLeaf = { ...life(leafLifeMs), hosts };
  switch (step) {
    case "introduce":
      return {
        ...world,
        next: signer + 1,
        state: { ...state, next: { ...life(authorityLifeMs), introducedAtMs: now } },
      };
    case "switch":
      return {
        signer: next ?? signer,
        next: undefined,
        previous: signer,
        leafSigner: next ?? signer,
        state: {
          signer: state.next ?? state.signer,
          next: undefined,
          previous: { retiredAtMs: now },
          leaf: newLeaf,
        },
      };
    case "retire":
      return { ...world, previous: undefined, state: { ...state, previous: undefined } };
    case "renew":
      return { ...world, leafSigner: signer, state: { ...state, leaf: newLeaf } };
    default:
      return { state, signer, next, previous, leafSigner };
  }
}

describe("ten years", () => {
  it("[WH9] never have a replica serve a certificate that an API server does not trust, however late a change reaches either", () => {
    const lateness = fc.integer({ min: 0, max: hour / 2 });
    fc.assert(
      fc.property(lateness, lateness, lateness, (pollMs, callerLagMs, replicaLagMs) => {
        const life = defaultRotationRules.authorityLifeMs;
        let world: World = {
          signer: 1,
          next: undefined,
          previous: undefined,
          leafSigner: 1,
          state: {
            signer: { notBeforeMs: 0, notAfterMs: life },
            next: undefined,
            previous: undefined,
            leaf: { notBeforeMs: 0, notAfterMs: defaultRotationRules.leafLifeMs, hosts },
          },
        };
        const counts: Partial<Record<RotationStep, number>> = {};
        let served = { signer: 1, untilMs: world.state.leaf.notAfterMs };
        let trusted = [1];
        for (let now = 0; now < 10 * 365 * day; ) {
          now = Math.max(now + 1, nextRotationAt(world.state, rules) + pollMs);
          const step = planRotation(world.state, rules, now);
          if (step === "none") continue;
          counts[step] = (counts[step] ?? 0) + 1;
          world = take(step, world, now, defaultRotationRules);
          // Until the change has reached every API server and replica, some trust and serve as before.
          const trustedNow = [world.signer, world.next, world.previous].filter((id) => id !== undefined);
          expect(trusted, `${step}: new leaf, old trust`).toContain(world.leafSigner);
          expect(trustedNow, `${step}: old leaf, new trust`).toContain(served.signer);
          expect(served.untilMs, `${step}: old leaf is valid`).toBeGreaterThan(now + replicaLagMs);
          expect(nextRotationAt(world.state, rules)).toBeGreaterThan(
            now + Math.max(callerLagMs, replicaLagMs),
          );
          trusted = trustedNow;
          served = { signer: world.leafSigner, untilMs: world.state.leaf.notAfterMs };
        }
        expect(counts.create).toBeUndefined();
        expect(counts.switch).toBeGreaterThanOrEqual(14);
        expect(counts.renew).toBeGreaterThanOrEqual(40);
        expect(counts.retire).toBeGreaterThanOrEqual((counts.switch ?? 0) - 1);
      }),
      { numRuns: 50 },
    );
  });
});
