import type { Clock, KubeObject } from "@keelson/core";
import type { ControllerEvent } from "./controller.ts";

/** Repetitions of one Event are counted in one object, which is named here once it is written. */
export interface EventSeries {
  name: string | undefined;
}

export interface CorrelatedEvent {
  readonly series: EventSeries;
  readonly message: string;
}

/** More Events than this about the same thing, that differ in their message only, become one. */
const mostSimilar = 10;
const similarForMs = 600_000;
/** Of one source about one object; then one in five minutes. */
const burst = 25;
const refillPerMs = 1 / 300_000;
const mostRemembered = 4096;

interface SimilarEvents {
  readonly messages: Set<string>;
  lastMs: number;
}

interface Budget {
  tokens: number;
  atMs: number;
}

/**
 * Decides which Events are new, which are repetitions, and which are too many (undefined), as the recorder of the real
 * controllers does.
 */
export function createEventCorrelator(
  clock: Clock,
): (regarding: KubeObject, event: ControllerEvent) => CorrelatedEvent | undefined {
  const similar = new Map<string, SimilarEvents>();
  const series = new Map<string, EventSeries>();
  const budgets = new Map<string, Budget>();

  return (regarding, { component, type, reason, message }) => {
    const now = clock.monotonicNow();
    const { kind, apiVersion, metadata } = regarding;
    const subject = [component, kind, metadata.namespace ?? "", metadata.name, metadata.uid, apiVersion];
    const about = JSON.stringify([...subject, type, reason]);
    const known = remembered(similar, about, () => ({ messages: new Set<string>(), lastMs: now }));
    if (now - known.lastMs > similarForMs) known.messages.clear();
    known.lastMs = now;
    known.messages.add(message);
    const isCombined = known.messages.size >= mostSimilar;
    if (isCombined) known.messages.delete([...known.messages][0] ?? "");
    const key = isCombined ? about : JSON.stringify([...subject, type, reason, message]);
    const own = remembered(series, key, () => ({ name: undefined }));
    const budget = remembered(budgets, JSON.stringify(subject), () => ({ tokens: burst, atMs: now }));
    if (!spend(budget, now)) return undefined;
    return { series: own, message: isCombined ? `(combined from similar events): ${message}` : message };
  };
}

function spend(budget: Budget, now: number): boolean {
  budget.tokens = Math.min(burst, budget.tokens + (now - budget.atMs) * refillPerMs);
  budget.atMs = now;
  if (budget.tokens < 1) return false;
  budget.tokens--;
  return true;
}

/** The oldest is forgotten when there are too many. */
function remembered<Value>(map: Map<string, Value>, key: string, make: () => Value): Value {
  const value = map.get(key) ?? make();
  map.delete(key);
  map.set(key, value);
  const [oldest] = map.size > mostRemembered ? map.keys() : [];
  if (oldest !== undefined) map.delete(oldest);
  return value;
}
