import { VirtualClock } from "@keelson/testkit";
import { expect, it } from "vitest";
import { FirstSights } from "./first-sights.ts";
import type { WorkloadRef } from "./workload-kind.ts";

const web: WorkloadRef = { kind: "Deployment", namespace: "shop", name: "web" };
const db = { kind: "Secret", namespace: "shop", name: "db" } as const;
const ref = "shop/Secret/db";

it("knows the content that a resource had when a workload was first seen", async () => {
  const clock = new VirtualClock();
  const sights = new FirstSights(clock);
  sights.resourceChanged(db, "a");
  await clock.advance(10);
  sights.workloadSeen(web);
  expect(sights.hashAtFirstSight(web, ref)).toBeUndefined();
  await clock.advance(10);
  sights.resourceChanged(db, "b");
  sights.resourceChanged(db, "c");
  expect(sights.hashAtFirstSight(web, ref)).toBe("b");
  expect(sights.hashAtFirstSight({ ...web, name: "other" }, ref)).toBeUndefined();
  sights.forget(web);
  expect(sights.hashAtFirstSight(web, ref)).toBeUndefined();
});

it("forgets both after a minute", async () => {
  const clock = new VirtualClock();
  const sights = new FirstSights(clock);
  sights.workloadSeen(web);
  sights.resourceChanged(db, "a");
  await clock.advance(61_000);
  sights.resourceChanged({ ...db, name: "other" }, "x");
  expect(sights.hashAtFirstSight(web, ref)).toBeUndefined();
});
