import { VirtualClock } from "@keelson/testkit";
import { describe, expect, it } from "vitest";
import { lockRole } from "./advisory-lock.ts";
import { PostgresError, type PostgresSession } from "./connection.ts";

/** A server on which other sessions hold the lock until a time. */
function lockedUntil(clock: VirtualClock, untilMs: number) {
  const keys: unknown[] = [];
  const session: PostgresSession = {
    query: async (_sql, values = []) => {
      keys.push(values[0]);
      return [{ locked: clock.monotonicNow() >= untilMs }];
    },
    close: async () => undefined,
  };
  return { session, keys };
}

const subject = { database: "orders", role: "orders" };
const { signal } = new AbortController();

describe("the lock of a role", () => {
  it("is tried again until it is free", async () => {
    const clock = new VirtualClock();
    const { session, keys } = lockedUntil(clock, 5_000);
    await clock.runUntil(lockRole(session, subject, { clock, signal }));
    expect(clock.monotonicNow()).toBe(5_000);
    expect(keys.length).toBeGreaterThan(10);
  });

  it("is given up after 30 s", async () => {
    const clock = new VirtualClock();
    const { session } = lockedUntil(clock, Number.POSITIVE_INFINITY);
    const locked = lockRole(session, subject, { clock, signal });
    await expect(clock.runUntil(locked)).rejects.toThrow(PostgresError);
    expect(clock.monotonicNow()).toBe(30_000);
    expect(clock.pendingTimers).toEqual([]);
  });

  it("is not waited for after an abort", async () => {
    const clock = new VirtualClock();
    const stop = new AbortController();
    const { session } = lockedUntil(clock, Number.POSITIVE_INFINITY);
    const locked = lockRole(session, subject, { clock, signal: stop.signal });
    clock.schedule(1_000, () => stop.abort(new Error("stopped")));
    await expect(clock.runUntil(locked)).rejects.toThrow("stopped");
    expect(clock.pendingTimers).toEqual([]);
  });

  it("is another one for another role or database, and fits into 64 bits", async () => {
    const clock = new VirtualClock();
    const { session, keys } = lockedUntil(clock, 0);
    const subjects = [subject, subject, { ...subject, role: "billing" }, { ...subject, database: "billing" }];
    for (const each of subjects) await lockRole(session, each, { clock, signal });
    expect(new Set(keys).size).toBe(3);
    for (const key of keys) expect(BigInt.asIntN(64, BigInt(String(key)))).toBe(BigInt(String(key)));
  });
});
