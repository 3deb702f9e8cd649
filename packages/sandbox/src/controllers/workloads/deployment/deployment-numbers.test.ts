import type { Deployment, ReplicaSet } from "@keelson/core/kinds/apps/v1";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  desiredReplicasOf,
  newSetSize,
  numbersOf,
  proportionalSizes,
  shrinkOldSets,
} from "./deployment-numbers.ts";

function deployment(
  replicas: number,
  maxSurge: number | string,
  maxUnavailable: number | string,
): Deployment {
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "web" },
    spec: {
      replicas,
      selector: {},
      template: {},
      strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge, maxUnavailable } },
    },
  };
}

function set(name: string, replicas: number, available = replicas): ReplicaSet {
  return {
    apiVersion: "apps/v1",
    kind: "ReplicaSet",
    metadata: { name, annotations: {} },
    spec: { replicas, selector: {} },
    status: { replicas, availableReplicas: available },
  };
}

describe("the numbers of a Deployment", () => {
  it.each<[number, number | string, number | string, number, number]>([
    [3, "25%", "25%", 1, 0],
    [4, "25%", "25%", 1, 1],
    [10, "25%", "25%", 3, 2],
    [1, 0, 0, 0, 1],
    [0, "25%", "25%", 0, 0],
    [2, 5, 5, 5, 2],
  ])(
    "of %i replicas with surge %s and unavailable %s are %i and %i",
    (replicas, surge, missing, up, down) => {
      expect(numbersOf(deployment(replicas, surge, missing))).toMatchObject({
        maxSurge: up,
        maxUnavailable: down,
      });
    },
  );

  it("let nothing surge with Recreate, and know no deadline where it is as far as can be", () => {
    const { metadata, ...rest } = deployment(3, 1, 1);
    const recreate = {
      ...rest,
      metadata,
      spec: {
        selector: {},
        template: {},
        strategy: { type: "Recreate" as const },
        progressDeadlineSeconds: 2147483647,
      },
    };
    expect(numbersOf(recreate)).toMatchObject({
      replicas: 1,
      maxSurge: 0,
      maxUnavailable: 0,
      isRolling: false,
    });
    expect(numbersOf(recreate).progressDeadlineSeconds).toBeUndefined();
  });
});

const counts = fc.integer({ min: 0, max: 20 });

describe("a rolling update", () => {
  it("never exceeds the surge", () => {
    fc.assert(
      fc.property(counts, counts, counts, counts, (replicas, surge, old, present) => {
        const numbers = numbersOf(deployment(replicas, surge, 1));
        const fresh = set("new", Math.min(present, replicas));
        const size = newSetSize(numbers, [set("old", old), fresh], desiredReplicasOf(fresh));
        expect(size).toBeGreaterThanOrEqual(desiredReplicasOf(fresh));
        expect(size).toBeLessThanOrEqual(Math.max(replicas, desiredReplicasOf(fresh)));
        if (size > desiredReplicasOf(fresh))
          expect(size + old).toBeLessThanOrEqual(replicas + numbers.maxSurge);
      }),
      { numRuns: 200 },
    );
  });

  it("never takes away pods that must be available", () => {
    fc.assert(
      fc.property(counts, counts, counts, counts, counts, (replicas, missing, old, oldAvailable, fresh) => {
        const numbers = numbersOf(deployment(replicas, 1, missing));
        const newSet = set("new", fresh, Math.floor(fresh / 2));
        const available = Math.min(old, oldAvailable);
        const [resize] = shrinkOldSets(numbers, newSet, [set("old", old, available)]);
        if (resize === undefined) return;
        expect(resize.size).toBeLessThan(old);
        expect(resize.size).toBeGreaterThanOrEqual(0);
        const left = Math.min(resize.size, available) + Math.floor(fresh / 2);
        const least = Math.min(replicas - numbers.maxUnavailable, available + Math.floor(fresh / 2));
        expect(left).toBeGreaterThanOrEqual(least);
      }),
      { numRuns: 200 },
    );
  });

  it("spreads a change of size so that all of it is used", () => {
    fc.assert(
      fc.property(
        counts,
        fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 2, maxLength: 4 }),
        (replicas, sizes) => {
          const target = deployment(replicas, 2, 1);
          const sets = sizes.map((size, index) => set(`set-${index}`, size));
          const resizes = proportionalSizes(target, numbersOf(target), sets);
          const total = resizes.reduce((sum, { size }) => sum + size, 0);
          for (const { size } of resizes) expect(size).toBeGreaterThanOrEqual(0);
          const wanted = replicas > 0 ? replicas + 2 : 0;
          // What the first one cannot give up stays until the next step.
          if (resizes[0]?.size === 0) expect(total).toBeGreaterThanOrEqual(wanted);
          else expect(total).toBe(wanted);
        },
      ),
      { numRuns: 200 },
    );
  });
});
