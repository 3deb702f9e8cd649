import { VirtualClock } from "@keelson/testkit";
import { expect, it } from "vitest";
import { FirstSights } from "./first-sights.ts";
import type { WorkloadRef } from "./workload-kind.ts";

const web: WorkloadRef = { kind: "Deployment", namespace: "shop", name: "web" };
const db = { kind: "Secret", namespace: "shop", name: "db" } as const;
const ref = "shop/Secret/db";
const uid = "uid-of-web";

it("knows the content that a resource had when a workload was first seen", () => {
  const sights = new FirstSights(new VirtualClock());
  sights.resourceChanged(db, "a", "10");
  sights.workloadSeen(web, uid, "11");
  expect(sights.hashAtFirstSight(web, uid, ref)).toBeUndefined();
  sights.resourceChanged(db, "b", "12");
  sights.resourceChanged(db, "c", "13");
  expect(sights.hashAtFirstSight(web, uid, ref)).toBe("b");
  expect(sights.hashAtFirstSight({ ...web, name: "other" }, uid, ref)).toBeUndefined();
  sights.workloadSeen(web, uid, "14");
  expect(sights.hashAtFirstSight(web, uid, ref)).toBe("b");
  sights.forget(web, uid);
  expect(sights.hashAtFirstSight(web, uid, ref)).toBeUndefined();
});

it("orders what two watches deliver by resource versions", () => {
  const sights = new FirstSights(new VirtualClock());
  sights.resourceChanged(db, "a", "21");
  sights.workloadSeen(web, uid, "20");
  expect(sights.hashAtFirstSight(web, uid, ref)).toBe("a");
  const other = { ...web, name: "other" };
  sights.workloadSeen(other, uid, "23");
  sights.resourceChanged(db, "b", "22");
  expect(sights.hashAtFirstSight(other, uid, ref)).toBeUndefined();
  sights.workloadSeen({ ...web, name: "odd" }, uid, "not a number");
  expect(sights.hashAtFirstSight({ ...web, name: "odd" }, uid, ref)).toBeUndefined();
});

it("does not take a workload for an earlier one of the same name, but any for the target of a ReloaderConfig", () => {
  const sights = new FirstSights(new VirtualClock());
  sights.workloadSeen(web, "earlier", "30");
  sights.resourceChanged(db, "a", "31");
  expect(sights.hashAtFirstSight(web, uid, ref)).toBeUndefined();
  sights.workloadSeen(web, undefined, "29");
  expect(sights.hashAtFirstSight(web, uid, ref)).toBe("a");
  sights.workloadSeen(web, uid, "32");
  expect(sights.hashAtFirstSight(web, uid, ref)).toBeUndefined();
});

it("forgets both after a minute", async () => {
  const clock = new VirtualClock();
  const sights = new FirstSights(clock);
  sights.workloadSeen(web, uid, "1");
  sights.resourceChanged(db, "a", "2");
  await clock.advance(61_000);
  sights.resourceChanged({ ...db, name: "other" }, "x", "3");
  expect(sights.hashAtFirstSight(web, uid, ref)).toBeUndefined();
});
