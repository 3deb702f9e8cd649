import { VirtualClock } from "@keelson/testkit";
import { describe, expect, it } from "vitest";
import { EventLag } from "./event-lag.ts";

const clockAt = (time: string): VirtualClock => new VirtualClock({ startAt: Date.parse(time) });

const line = (type: string, metadata: object): Buffer =>
  Buffer.from(JSON.stringify({ type, object: { kind: "ConfigMap", metadata } }));

const written = (...times: string[]) => ({ managedFields: times.map((time) => ({ time })) });

describe("the lag of events", () => {
  it("[MX5] is the time since the newest write that the object records", () => {
    const lag = new EventLag(clockAt("2026-01-01T00:00:10Z"));
    expect(lag.lagMs).toBeUndefined();
    lag.observe(line("MODIFIED", written("2026-01-01T00:00:07Z", "2025-01-01T00:00:00Z")));
    expect(lag.lagMs).toBe(3_000);
  });

  it("[MX5] of a new object without fields is the time since its creation; of an old one it is unknown", () => {
    const lag = new EventLag(clockAt("2026-01-01T00:00:10Z"));
    lag.observe(line("ADDED", { creationTimestamp: "2026-01-01T00:00:09Z" }));
    expect(lag.lagMs).toBe(1_000);
    const another = new EventLag(clockAt("2026-01-01T00:00:10Z"));
    another.observe(line("MODIFIED", { creationTimestamp: "2025-01-01T00:00:00Z" }));
    expect(another.lagMs).toBeUndefined();
  });

  it("[MX5] is 0 if the server's clock is ahead", () => {
    const lag = new EventLag(clockAt("2026-01-01T00:00:10Z"));
    lag.observe(line("ADDED", written("2026-01-01T00:00:12Z")));
    expect(lag.lagMs).toBe(0);
  });

  it("[MX5] is measured once a second", async () => {
    const clock = clockAt("2026-01-01T00:00:10Z");
    const lag = new EventLag(clock);
    lag.observe(line("ADDED", written("2026-01-01T00:00:10Z")));
    await clock.advance(999);
    lag.observe(line("ADDED", written("2026-01-01T00:00:00Z")));
    expect(lag.lagMs).toBe(0);
    await clock.advance(1);
    lag.observe(line("ADDED", written("2026-01-01T00:00:00Z")));
    expect(lag.lagMs).toBe(11_000);
  });

  it.each([
    ["a deletion", line("DELETED", written("2026-01-01T00:00:00Z"))],
    [
      "the beginning of one",
      line("MODIFIED", { deletionTimestamp: "x", ...written("2026-01-01T00:00:00Z") }),
    ],
    ["an object that records no write", line("ADDED", {})],
    ["an object whose times are none", line("ADDED", written("yesterday"))],
    [
      "an event that is large",
      line("ADDED", { ...written("2026-01-01T00:00:00Z"), name: "x".repeat(70_000) }),
    ],
  ])("[MX5] is not known from %s", (_, event) => {
    const lag = new EventLag(clockAt("2026-01-01T00:00:10Z"));
    lag.observe(event);
    expect(lag.lagMs).toBeUndefined();
  });
});
