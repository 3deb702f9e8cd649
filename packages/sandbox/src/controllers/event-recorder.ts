import { type Clock, formatTime, type Stored } from "@keelson/core";
import { Event } from "@keelson/core/kinds/core/v1";
import type { ObjectApi } from "../server/write/object-api.ts";
import { ApiError } from "../status/api-error.ts";
import type { ControllerEvent } from "./controller.ts";

export interface EventRecorder {
  record(regarding: Stored, event: ControllerEvent): void;
  /** Waits until everything recorded so far is written. */
  flush(): Promise<void>;
}

export interface EventRecorderOptions {
  readonly objects: ObjectApi;
  readonly clock: Clock;
  readonly manager: string;
  onError(error: unknown): void;
}

/** Writes Events one after another, and counts repetitions in the Event that exists already. */
export function createEventRecorder(options: EventRecorderOptions): EventRecorder {
  const { objects, clock, manager, onError } = options;
  const correlate = createEventCorrelator(clock);
  let lastWrite = Promise.resolve();
  let serial = 0n;

  async function write(regarding: Stored, event: ControllerEvent): Promise<void> {
    const correlated = correlate(regarding, event);
    if (correlated === undefined) return;
    const { namespace = "default" } = regarding.metadata;
    const seen =
      correlated.series.name === undefined ? undefined : { namespace, name: correlated.series.name };
    const existing = seen === undefined ? undefined : objects.get(Event, seen);
    const now = formatTime(clock.now());
    if (existing !== undefined) {
      const { count = 1 } = existing;
      const { message } = correlated;
      await objects.update(
        Event,
        { ...existing, message, count: count + 1, lastTimestamp: now },
        { manager },
      );
      return;
    }
    const created = makeEvent(regarding, event, correlated, now);
    // Names must differ also where the clock stands still.
    const name = `${regarding.metadata.name}.${eventSuffix(clock.now(), serial++)}`;
    correlated.series.name = name;
    await objects.create(Event, { ...created, metadata: { name, namespace } }, { manager });
  }

  return {
    record(regarding, event) {
      lastWrite = lastWrite.then(async () => {
        try {
          await write(regarding, event);
        } catch (error) {
          // An Event in a namespace that is being deleted is refused, and no longer needed.
          if (!(error instanceof ApiError)) onError(error);
        }
      });
    },
    flush: () => lastWrite,
  };
}

/** As the real recorder does it: the time in nanoseconds, in hexadecimal digits. */
function eventSuffix(nowMs: number, serial: bigint): string {
  return (BigInt(Math.floor(nowMs)) * 1_000_000n + (serial % 1_000_000n)).toString(16);
}

function makeEvent(
  regarding: Stored,
  { component, type, reason }: ControllerEvent,
  { message }: CorrelatedEvent,
  now: string,
): Omit<Event, "metadata"> {
  const { namespace, name, uid, resourceVersion } = regarding.metadata;
  return {
    apiVersion: "v1",
    kind: "Event",
    involvedObject: {
      kind: regarding.kind,
      ...(namespace === undefined ? {} : { namespace }),
      name,
      uid,
      apiVersion: regarding.apiVersion,
      resourceVersion,
    },
    reason,
    message,
    source: { component },
    firstTimestamp: now,
    lastTimestamp: now,
    count: 1,
    type,
    reportingComponent: component,
    reportingInstance: "",
  };
}

/** Repetitions of one Event are counted in one object, which is named here once it is written. */
interface EventSeries {
  name: string | undefined;
}

interface CorrelatedEvent {
  readonly series: EventSeries;
  readonly message: string;
}

/** More Events than this that differ only in their message are combined into one. */
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
function createEventCorrelator(
  clock: Clock,
): (regarding: Stored, event: ControllerEvent) => CorrelatedEvent | undefined {
  const similar = new Map<string, SimilarEvents>();
  const series = new Map<string, EventSeries>();
  const budgets = new Map<string, Budget>();

  return (regarding, { component, type, reason, message }) => {
    const now = clock.monotonicNow();
    const { kind, apiVersion, metadata } = regarding;
    const subject = [component, kind, metadata.namespace, metadata.name, metadata.uid, apiVersion];
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
