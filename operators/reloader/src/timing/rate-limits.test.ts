import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { WorkloadRef } from "../workload/workload-kind.ts";
import { type RateLimit, RateLimits, rateLimitsOf } from "./rate-limits.ts";

const workload = (name: string | number, namespace = "shop"): WorkloadRef => ({
  ...{ kind: "Deployment", namespace, name: String(name) },
});

describe("the rate limits", () => {
  it("do not limit if there are none", () => {
    const limits = new RateLimits({});
    for (let each = 0; each < 100; each++) expect(limits.take(workload("web"), 0)).toBe(0);
  });

  it("let a burst through, and then give turns in the order of asking", () => {
    const limits = new RateLimits({ global: { perMinute: 60, burst: 2 } });
    const waits = [0, 1, 2, 3, 4].map((name) => limits.take(workload(name), 0));
    expect(waits).toEqual([0, 0, 1000, 2000, 3000]);
    // Asking again does not cost a turn, and asking late does not lose it.
    expect(limits.take(workload(2), 500)).toBe(500);
    expect(limits.take(workload(3), 2000)).toBe(0);
    expect(limits.take(workload(2), 2000)).toBe(0);
    expect(limits.take(workload(4), 3000)).toBe(0);
    expect(limits.size.turns).toBe(0);
  });

  it("spread the reloads that the settings allow over the minute", () => {
    const rateLimits = rateLimitsOf({ maxReloadsPerMinute: 20, maxReloadsPerMinutePerNamespace: 0 });
    expect([0, 1, 2, 3].map((name) => rateLimits.take(workload(name), 0))).toEqual([0, 0, 3000, 6000]);
  });

  it("let a namespace over its limit use nothing of the global one", () => {
    const limits = new RateLimits({
      global: { perMinute: 60, burst: 3 },
      perNamespace: { perMinute: 6, burst: 1 },
    });
    const noisy = Array.from({ length: 50 }, (_, name) => limits.take(workload(name, "noisy"), 0));
    expect(noisy.slice(0, 3)).toEqual([0, 10_000, 20_000]);
    expect(limits.take(workload("web", "quiet"), 0)).toBe(0);
    expect(limits.take(workload("web", "calm"), 0)).toBe(0);
    expect(limits.take(workload("web", "last"), 0)).toBe(1000);
  });

  it("make a workload wait for the global limit after its namespace", () => {
    const limits = new RateLimits({
      global: { perMinute: 6, burst: 1 },
      perNamespace: { perMinute: 60, burst: 1 },
    });
    expect(limits.take(workload("a"), 0)).toBe(0);
    expect(limits.take(workload("b"), 0)).toBe(1000);
    expect(limits.take(workload("b"), 1000)).toBe(9000);
    expect(limits.take(workload("b"), 10_000)).toBe(0);
  });

  it("do not let workloads use the turns all at once that they missed", () => {
    const rateLimits = new RateLimits({ global: { perMinute: 60, burst: 1 } });
    const names = [0, 1, 2, 3];
    for (const name of names) rateLimits.take(workload(name), 0);
    expect(names.map((name) => rateLimits.take(workload(name), 3_600_000))).toEqual([0, 1000, 2000, 3000]);
  });

  it("do not make all wait when the clock is set back", () => {
    const limits = new RateLimits({ global: { perMinute: 1, burst: 1 } });
    const hourMs = 3_600_000;
    expect(limits.take(workload("a"), hourMs)).toBe(0);
    expect(limits.take(workload("b"), hourMs)).toBe(60_000);
    expect(limits.take(workload("b"), 0)).toBe(0);
  });

  it("keep nothing of namespaces and turns that are over", () => {
    const limits = new RateLimits({ perNamespace: { perMinute: 60, burst: 1 } });
    for (let each = 0; each < 3000; each++) limits.take(workload("web", `n${each}`), each);
    for (let each = 0; each < 10; each++) limits.take(workload(each, "noisy"), 3000);
    for (let each = 0; each < 2000; each++) limits.take(workload("web", "last"), 1_000_000);
    expect(limits.size).toEqual({ turns: 1, namespaces: 1 });
  });

  it.each(["global", "perNamespace"] as const)(
    "never let more through than the burst and what the time allows, and let each workload through: %s",
    (scope) => {
      fc.assert(
        fc.property(limits, arrivals, (limit, all) => {
          const passed = playedThrough(new RateLimits({ [scope]: limit }), all);
          expect(passed).toHaveLength(all.length);
          if (scope === "global") expectWithin(passed, limit);
          for (const namespace of namespaces)
            expectWithin(
              passed.filter((each) => each.namespace === namespace),
              limit,
            );
        }),
      );
    },
  );
});

const namespaces = ["a", "b", "c"];
const limits = fc.record({
  perMinute: fc.integer({ min: 1, max: 600 }),
  burst: fc.integer({ min: 1, max: 5 }),
});
const arrivals = fc.array(
  fc.record({ namespace: fc.constantFrom(...namespaces), atMs: fc.integer({ min: 0, max: 60_000 }) }),
  { minLength: 1, maxLength: 30 },
);

interface Passed {
  readonly namespace: string;
  readonly atMs: number;
}

/** When the workloads are let through that ask first at these times, and then again after the returned time. */
function playedThrough(rateLimits: RateLimits, all: readonly Passed[]): readonly Passed[] {
  const waiting = all.map(({ namespace, atMs }, name) => ({ ref: workload(name, namespace), atMs }));
  const passed: Passed[] = [];
  for (;;) {
    waiting.sort((a, b) => a.atMs - b.atMs);
    const first = waiting.shift();
    if (first === undefined) return passed;
    const waitMs = rateLimits.take(first.ref, first.atMs);
    if (waitMs === 0) passed.push({ atMs: first.atMs, namespace: first.ref.namespace });
    else waiting.push({ ...first, atMs: first.atMs + waitMs });
  }
}

function expectWithin(passed: readonly Passed[], { burst, perMinute }: RateLimit): void {
  for (const [from, { atMs: fromMs }] of passed.entries())
    for (const [to, { atMs: toMs }] of passed.entries())
      if (to >= from)
        expect(to - from + 1).toBeLessThanOrEqual(burst + ((toMs - fromMs) * perMinute) / 60_000 + 1e-6);
}
