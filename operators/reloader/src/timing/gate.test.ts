import { describe, expect, it } from "vitest";
import { type GateInput, gateOf } from "./gate.ts";

const nowMs = Date.parse("2026-06-10T02:30:00.000Z");
const minuteMs = 60_000;
/** The time so many minutes after now. */
const time = (minutes: number): string => new Date(nowMs + minutes * minuteMs).toISOString();

const nightly = { schedule: "0 2 * * *", duration: "1h" };
const reloadAt = (minutes: number) => ({
  lastReload: { time: time(minutes), strategy: "env-vars" as const, hash: "", resources: [] },
});

function gate(input: Partial<GateInput>): string {
  const result = gateOf({
    policy: { pausePeriodMs: undefined, windows: [] },
    status: {},
    breaker: { reloads: 2, periodMs: 10 * minuteMs },
    nowMs,
    collectUntilMs: nowMs,
    takeTurn: () => 0,
    ...input,
  });
  if (result.open) return "open";
  return result.untilMs === undefined
    ? result.reason
    : `${result.reason} until ${new Date(result.untilMs).toISOString().slice(11, 16)}`;
}

const paused = (minutes: number, windows = [nightly]): Partial<GateInput> => ({
  policy: { pausePeriodMs: minutes * minuteMs, windows },
  status: reloadAt(0),
});

describe("the gate of a workload with changes", () => {
  it.each<[what: string, Partial<GateInput>, result: string]>([
    ["if nothing speaks against it", {}, "open"],
    ["in a window", { policy: { pausePeriodMs: undefined, windows: [nightly] } }, "open"],
    [
      "outside of its windows",
      { policy: { pausePeriodMs: undefined, windows: [{ ...nightly, schedule: "0 4 * * *" }] } },
      "OutsideWindow until 04:00",
    ],
    [
      "with a window that never opens",
      { policy: { pausePeriodMs: undefined, windows: [{ ...nightly, schedule: "0 4 30 2 *" }] } },
      "OutsideWindow",
    ],
    ["in its pause period", paused(5), "Paused until 02:35"],
    ["in a pause that ends outside of its windows", paused(40), "OutsideWindow until 02:00"],
    [
      "in a pause that ends in a window which is not open yet",
      paused(100, [{ schedule: "0 4 * * *", duration: "1h" }]),
      "Paused until 04:10",
    ],
    [
      "with an open circuit breaker",
      { status: { recentReloads: [time(-3), time(-1)] } },
      "CircuitOpen until 02:39",
    ],
    [
      "with an open circuit breaker, and a longer pause",
      {
        policy: { pausePeriodMs: 60 * minuteMs, windows: [] },
        status: { ...reloadAt(-1), recentReloads: [time(-3), time(-1)] },
      },
      "Paused until 03:29",
    ],
    ["while changes are collected", { collectUntilMs: nowMs + minuteMs }, "Collecting until 02:31"],
    ["over a rate limit", { takeTurn: () => 2 * minuteMs }, "RateLimited until 02:32"],
  ])("%s", (_what, input, result) => {
    expect(gate(input)).toBe(result);
  });

  it("uses a turn of the rate limits only if nothing else speaks against a reload", () => {
    let turns = 0;
    const takeTurn = (): number => {
      turns++;
      return 0;
    };
    gate({ ...paused(5), takeTurn });
    gate({ collectUntilMs: nowMs + 1, takeTurn });
    gate({ policy: { pausePeriodMs: undefined, windows: [{ ...nightly, duration: "1s" }] }, takeTurn });
    expect(turns).toBe(0);
    gate({ takeTurn });
    expect(turns).toBe(1);
  });
});
