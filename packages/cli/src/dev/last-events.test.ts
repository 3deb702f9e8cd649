import type { Event } from "keelson/kinds/core/v1";
import { describe, expect, it } from "vitest";
import { LastEvents } from "./last-events.ts";

function makeEvent(message: string, times: Partial<Event>): Event {
  return {
    apiVersion: "v1",
    kind: "Event",
    metadata: { name: message, namespace: "default" },
    involvedObject: { uid: "u1" },
    ...{ reason: "Scaled", message, ...times },
  };
}

describe("last events", () => {
  it("are the newest of each object, whichever of its times an event carries", () => {
    const events = new LastEvents();
    const series = { count: 2, lastObservedTime: "2026-01-01T00:00:30.000000Z" };
    expect(events.note(makeEvent("first", { eventTime: "2026-01-01T00:00:10.000000Z" }))).toBe(true);
    expect(events.note(makeEvent("second", { lastTimestamp: "2026-01-01T00:00:20Z" }))).toBe(true);
    expect(events.note(makeEvent("again", { eventTime: "2026-01-01T00:00:05.000000Z", series }))).toBe(true);
    expect(events.note(makeEvent("late", { lastTimestamp: "2026-01-01T00:00:25Z" }))).toBe(false);
    expect(events.of("u1")).toMatchObject({ reason: "Scaled", message: "again", isWarning: false });
    expect(events.of("u2")).toBeUndefined();
  });

  it("of the same second are kept in the order in which they come", () => {
    const events = new LastEvents();
    const lastTimestamp = "2026-01-01T00:00:10Z";
    events.note(makeEvent("first", { lastTimestamp }));
    events.note(makeEvent("second", { lastTimestamp, type: "Warning" }));
    expect(events.of("u1")).toMatchObject({ message: "second", isWarning: true });
  });

  it("are forgotten with their object, and never known of objects without a uid", () => {
    const events = new LastEvents();
    events.note(makeEvent("first", {}));
    events.forget("u1");
    expect(events.of("u1")).toBeUndefined();
    expect(events.note(makeEvent("second", { involvedObject: { name: "web" } }))).toBe(false);
    expect(events.of(undefined)).toBeUndefined();
  });
});
