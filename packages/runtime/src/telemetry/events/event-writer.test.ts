import { dnsSubdomainProblem, seededRandom } from "@keelson/core";
import { VirtualClock } from "@keelson/testkit";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { eventNames } from "./event-writer.ts";

describe("names of events", () => {
  it("are that of the object and a time in hex", () => {
    const clock = new VirtualClock({ startAt: 1_000 });
    const name = eventNames(clock, { next: () => 0 });
    expect(name("web")).toBe(`web.${(1_000_000_000).toString(16)}`);
    expect(name("web")).toBe(`web.${(1_000_000_001).toString(16)}`);
  });

  it("are UUIDs where the object's name cannot be part of one", () => {
    const name = eventNames(new VirtualClock(), seededRandom(1));
    expect(name("system:node")).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4/);
    expect(name("a".repeat(250))).toMatch(/^[0-9a-f]{8}-/);
  });

  it("are valid and differ, whatever the object is called", () => {
    fc.assert(
      fc.property(fc.array(fc.string(), { maxLength: 50 }), fc.integer(), (objects, seed) => {
        const name = eventNames(new VirtualClock(), seededRandom(seed));
        const names = objects.map((object) => name(object));
        expect(new Set(names).size).toBe(objects.length);
        expect(names.filter((each) => dnsSubdomainProblem(each) !== undefined)).toEqual([]);
      }),
    );
  });
});
