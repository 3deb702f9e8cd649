import type { ReloadRecordStatus } from "../api/reload-record.ts";
import type { ReloadPolicy } from "../decision/reload-policy.ts";
import { type CircuitBreaker, circuitOpenUntil } from "./circuit-breaker.ts";
import { pausedUntil } from "./pause.ts";
import { windowStateAt } from "./restart-window.ts";

/** Why a reload has to wait. */
export type WaitReason = "Paused" | "OutsideWindow" | "CircuitOpen" | "RateLimited" | "Collecting";

/** Whether a workload with changes may be reloaded now. */
export type Gate =
  | { readonly open: true }
  | {
      readonly open: false;
      readonly reason: WaitReason;
      /** When to look again; undefined if no restart window will ever open. */
      readonly untilMs: number | undefined;
    };

/** What decides whether a workload may be reloaded. */
export interface GateInput {
  readonly policy: Pick<ReloadPolicy, "pausePeriodMs" | "windows">;
  readonly status: Pick<ReloadRecordStatus, "lastReload" | "recentReloads">;
  readonly breaker: CircuitBreaker;
  readonly nowMs: number;
  /** Until when changes are collected. */
  readonly collectUntilMs: number;
  /** Asks the rate limits, only if nothing else keeps the workload from being reloaded; see `RateLimits.take`. */
  readonly takeTurn: () => number;
}

/**
 * Whether a workload with changes may be reloaded now. Of several reasons to wait, it names the last to end: a pause that
 * ends while no window is open waits for the window.
 */
export function gateOf({ policy, status, breaker, nowMs, collectUntilMs, takeTurn }: GateInput): Gate {
  const waits = [
    waitFor("CircuitOpen", circuitOpenUntil(status.recentReloads ?? [], breaker, nowMs)),
    waitFor("Paused", pausedUntil(status.lastReload?.time, policy.pausePeriodMs, nowMs)),
    waitFor("Collecting", collectUntilMs > nowMs ? collectUntilMs : undefined),
  ].flat();
  const last = waits.reduce<Wait | undefined>(
    (latest, wait) => (latest !== undefined && latest.untilMs >= wait.untilMs ? latest : wait),
    undefined,
  );
  const window = windowStateAt(policy.windows, last?.untilMs ?? nowMs);
  if (!window.isOpen) return { open: false, reason: "OutsideWindow", untilMs: window.nextMs };
  if (last !== undefined) return { open: false, ...last };
  const waitMs = takeTurn();
  return waitMs > 0 ? { open: false, reason: "RateLimited", untilMs: nowMs + waitMs } : { open: true };
}

interface Wait {
  readonly reason: WaitReason;
  readonly untilMs: number;
}

function waitFor(reason: WaitReason, untilMs: number | undefined): readonly Wait[] {
  return untilMs === undefined ? [] : [{ reason, untilMs }];
}
