import { expect, it } from "vitest";
import { Coalescing } from "./coalescing.ts";

const web = { kind: "Deployment", namespace: "shop", name: "web" } as const;

it("collects from the first change on, however many follow", () => {
  const coalescing = new Coalescing(1000);
  expect([0, 400, 999, 5000].map((nowMs) => coalescing.dueAt(web, nowMs))).toEqual([1000, 1000, 1000, 1000]);
  expect(coalescing.seenAt(web)).toBe(0);
});

it("collects for each workload on its own, and anew after a reload", () => {
  const coalescing = new Coalescing(1000);
  coalescing.dueAt(web, 0);
  expect(coalescing.dueAt({ ...web, kind: "StatefulSet" }, 300)).toBe(1300);
  coalescing.forget(web);
  expect(coalescing.seenAt(web)).toBeUndefined();
  expect(coalescing.dueAt(web, 2000)).toBe(3000);
});

it("begins anew when the clock is set back", () => {
  const coalescing = new Coalescing(1000);
  coalescing.dueAt(web, 3_600_000);
  expect(coalescing.dueAt(web, 0)).toBe(1000);
});
