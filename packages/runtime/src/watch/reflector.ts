import type { Selection } from "@keelson/client";
import {
  type CancelTimer,
  type Clock,
  groupResourceOf,
  isRecord,
  type KubeObject,
  type Random,
  type Resource,
  type Stored,
  systemClock,
  systemRandom,
  toError,
  wholeOf,
} from "@keelson/core";
import { ReflectorReusedError } from "./errors.ts";
import {
  type Freshness,
  noWatches,
  type ReflectorOptions,
  type WatchOutcome,
  type WatchSink,
} from "./reflector-options.ts";
import { arrivedSnapshot, keyProblem, type ObjectEvent, type Snapshot } from "./snapshot.ts";
import { withoutManagedFields } from "./strip-managed-fields.ts";
import { watchFailure } from "./watch-failure.ts";
import { WatchLineReader } from "./watch-line.ts";
import { WatchListSupport } from "./watch-list-support.ts";
import {
  dueAt,
  idle,
  type ListRequest,
  transition,
  type WatchEffect,
  type WatchInput,
  type WatchRules,
  type WatchState,
} from "./watch-machine.ts";

type OpenStream = Extract<WatchEffect<KubeObject>, { readonly type: "openStream" }>;
type StreamEnded = Extract<WatchInput<KubeObject>, { readonly type: "streamEnded" }>;

/** The server ends a list after 60 s with an error; a list that takes longer gets no response. */
const listTimeoutMs = 70_000;

/**
 * Keeps a sink equal to a selection of the server's objects: lists them, watches their changes, and recovers from every
 * failure of a connection. watch-machine.ts decides what to do; this executes it.
 */
export class Reflector<T extends KubeObject> {
  readonly #options: ReflectorOptions<T>;
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #rules: WatchRules;
  readonly #rulesWithoutWatchList: WatchRules;
  readonly #watchListSupport: WatchListSupport;
  readonly #lines: WatchLineReader<T>;
  readonly #collection = new Collection<T>();
  #state: WatchState = idle;
  /** Inputs that came while another one was being processed. */
  readonly #inputs: WatchInput<T>[] = [];
  #isStepping = false;
  /** The stream or the list that is open. Input from an earlier one is ignored. */
  #activity = new Activity();
  readonly #running = new Set<Promise<void>>();
  #timer: { readonly dueMs: number; readonly cancel: CancelTimer } | undefined;
  #resourceVersion: string | undefined;
  #lastEventAtMs: number | undefined;
  #lastBookmarkAtMs: number | undefined;
  #bytesReceived = 0;
  readonly #lag: EventLag;
  #lists = 0;
  readonly #watches: Record<WatchOutcome, number> = noWatches();

  constructor(options: ReflectorOptions<T>) {
    const { resource, selection = {}, clock = systemClock, random = systemRandom } = options;
    const { useWatchList = true, watchTimeoutSeconds = 0, internalErrorGraceMs = 0 } = options;
    const { bookmarkIntervalMs = 60_000, keepManagedFields = false, parseOnRead = true } = options;
    const operation = describeWatch(resource, selection);
    this.#options = options;
    this.#watchListSupport = options.watchListSupport ?? new WatchListSupport();
    this.#clock = clock;
    this.#random = random;
    this.#lag = new EventLag(clock);
    this.#lines = new WatchLineReader({ resource, operation, keepManagedFields, parseOnRead });
    this.#rules = {
      operation,
      usesWatchList: useWatchList,
      watchTimeoutSeconds,
      bookmarkIntervalMs,
      internalErrorGraceMs,
    };
    this.#rulesWithoutWatchList = { ...this.#rules, usesWatchList: false };
  }

  /**
   * Runs until the signal aborts, then resolves: once, and never by itself. After the abort the sink and the hooks are
   * not called any more [RF15]; when this resolves, no request, timer or listener is left.
   */
  async run(signal: AbortSignal): Promise<void> {
    if (this.#state !== idle) throw new ReflectorReusedError(this.#rules.operation);
    const { promise: stopped, resolve } = Promise.withResolvers<void>();
    const stop = (): void => {
      this.#feed({ type: "stop" });
      resolve();
    };
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop, { once: true });
    this.#feed({ type: "start" });
    await stopped;
    await Promise.all(this.#running);
  }

  get freshness(): Freshness {
    return {
      phase: this.#state.phase,
      resourceVersion: this.#resourceVersion,
      lastEventAtMs: this.#lastEventAtMs,
      lastBookmarkAtMs: this.#lastBookmarkAtMs,
      bytesReceived: this.#bytesReceived,
      lastEventLagMs: this.#lag.lagMs,
      lists: this.#lists,
      watches: { ...this.#watches },
    };
  }

  /** Processes one input at a time: inputs that its effects cause come after it. */
  #feed(input: WatchInput<T>): void {
    this.#inputs.push(input);
    if (this.#isStepping) return;
    this.#isStepping = true;
    for (let next = this.#inputs.shift(); next !== undefined; next = this.#inputs.shift()) this.#step(next);
    this.#isStepping = false;
    this.#setTimer();
  }

  #step(input: WatchInput<T>): void {
    const nowMs = this.#clock.monotonicNow();
    const isIgnored = this.#watchListSupport.isIgnored(nowMs);
    const rules = isIgnored ? this.#rulesWithoutWatchList : this.#rules;
    const at = { nowMs, random: this.#random, rules };
    const { state, effects } = transition(this.#state, input, at);
    this.#state = state;
    if ("memory" in state && state.memory.resourceVersion !== "")
      this.#resourceVersion = state.memory.resourceVersion;
    for (const effect of effects) this.#execute(effect);
  }

  #execute(effect: WatchEffect<T>): void {
    switch (effect.type) {
      case "openStream":
        this.#begin((activity) => this.#readStream(effect, activity));
        break;
      case "requestPage":
        if (effect.request.continue === undefined) this.#lists += 1;
        this.#begin((activity) => this.#readPage(effect.request, activity));
        break;
      case "abandon":
        this.#activity.end("abandoned");
        break;
      case "collect":
        if (effect.event.type !== "DELETED") this.#callSink((sink) => sink.arrived?.(effect.event.snapshot));
        this.#collection.change(effect.event);
        break;
      case "collectPage":
        this.#collection.add(effect.items);
        break;
      case "discard":
        this.#collection.clear();
        break;
      case "replace":
        this.#callSink((sink) => sink.replace(this.#collection.take(), effect.resourceVersion));
        break;
      case "apply":
        this.#callSink((sink) => sink.apply(effect.event));
        break;
      case "bookmark":
        this.#callSink((sink) => sink.bookmark(effect.resourceVersion));
        break;
      case "report":
        callHook(() => this.#options.onError?.(effect.error));
        break;
      case "warn":
        this.#warn(effect.message);
        break;
      case "rememberIgnoredWatchList":
        if (this.#watchListSupport.rememberIgnored(this.#clock.monotonicNow()))
          this.#warn(ignoredWatchList(this.#rules.operation));
        break;
    }
  }

  #warn(message: string): void {
    callHook(() => this.#options.onWarning?.(message));
  }

  #callSink(call: (sink: WatchSink<T>) => void): void {
    try {
      call(this.#options.sink);
    } catch (error) {
      this.#feed({ type: "sinkFailed", failure: watchFailure(toError(error)) });
    }
  }

  #begin(work: (activity: Activity) => Promise<void>): void {
    this.#activity.end("replaced by the next request");
    this.#activity = new Activity();
    const running = work(this.#activity).finally(() => this.#running.delete(running));
    this.#running.add(running);
  }

  async #readStream(
    { resourceVersion, sendInitialEvents, timeoutSeconds }: OpenStream,
    activity: Activity,
  ): Promise<void> {
    const { client, resource, selection } = this.#options;
    const isWatchList =
      sendInitialEvents && ({ sendInitialEvents, resourceVersionMatch: "NotOlderThan" } as const);
    const query = {
      ...selection,
      ...isWatchList,
      resourceVersion,
      timeoutSeconds,
      allowWatchBookmarks: true,
    };
    let outcome: WatchOutcome = "abandoned";
    const end = (input: StreamEnded): void => {
      outcome = input.failure?.kind ?? "closed";
      this.#feed(input);
    };
    try {
      for await (const lines of client.watchLines(resource, { ...query, signal: activity.signal })) {
        for (const line of lines) {
          if (activity.isOver) return;
          const input = this.#receive(line);
          if (input.type === "streamEnded") return end(input);
          this.#feed(input);
        }
      }
      if (!activity.isOver) end({ type: "streamEnded" });
    } catch (error) {
      if (!activity.isOver) end({ type: "streamEnded", failure: watchFailure(toError(error)) });
    } finally {
      this.#watches[outcome] += 1;
    }
  }

  #receive(line: Buffer): WatchInput<T> {
    this.#bytesReceived += line.length + 1;
    const input = this.#lines.read(line);
    if (input.type !== "event") return input;
    if (input.event.type === "BOOKMARK") {
      this.#lastBookmarkAtMs = this.#clock.now();
    } else {
      this.#lastEventAtMs = this.#clock.now();
      // The first objects of a sync were written long ago.
      if (this.#state.phase === "watching") this.#lag.observe(line);
    }
    return input;
  }

  async #readPage(request: ListRequest, activity: Activity): Promise<void> {
    const { client, resource, selection, keepManagedFields = false } = this.#options;
    try {
      const options = { ...selection, ...request, signal: activity.signal, timeoutMs: listTimeoutMs };
      const { items, metadata } = await client.list(wholeOf(resource), options);
      if (activity.isOver) return;
      this.#feed({
        type: "page",
        items: items
          .filter((item) => this.#hasKey(item))
          .map((item) => arrivedSnapshot(resource, keepManagedFields ? item : withoutManagedFields(item))),
        resourceVersion: typeof metadata.resourceVersion === "string" ? metadata.resourceVersion : "",
        continue: metadata.continue ?? "",
      });
    } catch (error) {
      if (!activity.isOver) this.#feed({ type: "listFailed", failure: watchFailure(toError(error)) });
    }
  }

  #hasKey(item: Stored): boolean {
    const problem = keyProblem(item);
    if (problem !== undefined)
      this.#warn(`${this.#rules.operation}: skipped an object of a list: ${problem}`);
    return problem === undefined;
  }

  #setTimer(): void {
    const dueMs = dueAt(this.#state, this.#rules);
    // A timer that fires too early only checks again. Otherwise each event of a busy stream would set a new one.
    if (dueMs !== undefined && this.#timer !== undefined && this.#timer.dueMs <= dueMs) return;
    this.#timer?.cancel();
    this.#timer = undefined;
    if (dueMs === undefined) return;
    const cancel = this.#clock.schedule(dueMs - this.#clock.monotonicNow(), () => {
      this.#timer = undefined;
      this.#feed({ type: "tick" });
    });
    this.#timer = { dueMs, cancel };
  }
}

/** A stream or a list that is open. `isOver` is checked at each line, because reading `aborted` of a signal is slow. */
class Activity {
  readonly #controller = new AbortController();
  isOver = false;

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  end(reason: string): void {
    this.isOver = true;
    this.#controller.abort(new Error(reason));
  }
}

/** The objects of a sync that is not complete yet, each in its newest state. */
class Collection<T extends KubeObject> {
  #snapshots = new Map<string, Snapshot<T>>();

  change({ type, snapshot }: ObjectEvent<T>): void {
    if (type === "DELETED") this.#snapshots.delete(snapshot.keyText);
    else this.#snapshots.set(snapshot.keyText, snapshot);
  }

  add(snapshots: readonly Snapshot<T>[]): void {
    for (const snapshot of snapshots) this.#snapshots.set(snapshot.keyText, snapshot);
  }

  /** Returns everything that was collected, by `keyText`, and forgets it. The caller may keep the map. */
  take(): Map<string, Snapshot<T>> {
    const snapshots = this.#snapshots;
    this.clear();
    return snapshots;
  }

  clear(): void {
    this.#snapshots = new Map();
  }
}

function describeWatch(resource: Resource, { namespace }: Selection): string {
  const what = `watch ${groupResourceOf(resource)}`;
  return namespace === undefined ? what : `${what} in ${namespace}`;
}

function ignoredWatchList(operation: string): string {
  return (
    `${operation}: the server ignores the parameters of watch-lists: it has not marked the end of the first objects; ` +
    `all kinds of this server are listed instead`
  );
}

function callHook(hook: () => void): void {
  try {
    hook();
  } catch {
    // A hook that reports a failure must not end the reflector, and there is no other hook to report its own error to.
  }
}

/** At most one event in this time is measured: that takes parsing it, which is otherwise often not needed. */
const intervalMs = 1_000;
/** Larger events are not measured. */
const mostBytes = 65_536;

/**
 * How much later than their writes events arrive. Computed from the time of the object's last write, which is in whole
 * seconds of the server's clock; so it shows a watch that is seconds late, and nothing finer.
 */
export class EventLag {
  readonly #clock: Clock;
  #measuredAtMs: number | undefined;
  #lagMs: number | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The lag of the last event that was measured. */
  get lagMs(): number | undefined {
    return this.#lagMs;
  }

  /** Measures an event, given as the line that the server sent. */
  observe(line: Buffer): void {
    const nowMs = this.#clock.now();
    if (this.#measuredAtMs !== undefined && nowMs - this.#measuredAtMs < intervalMs) return;
    if (line.length > mostBytes) return;
    this.#measuredAtMs = nowMs;
    const writtenMs = writtenAt(line);
    if (writtenMs !== undefined) this.#lagMs = Math.max(0, nowMs - writtenMs);
  }
}

/** When the object of an event was last written; undefined if it has no such time. */
function writtenAt(line: Buffer): number | undefined {
  const event: unknown = JSON.parse(line.toString("utf8"));
  if (!isRecord(event) || !isRecord(event.object) || event.type === "DELETED") return undefined;
  const { metadata } = event.object;
  // The beginning of a deletion is a write that leaves no time of its own.
  if (!isRecord(metadata) || metadata.deletionTimestamp !== undefined) return undefined;
  const managers: readonly unknown[] = Array.isArray(metadata.managedFields) ? metadata.managedFields : [];
  const times = managers.map((manager) => (isRecord(manager) ? timeOf(manager.time) : Number.NaN));
  // An object without fields has no field managers, and was written when it was created.
  if (event.type === "ADDED") times.push(timeOf(metadata.creationTimestamp));
  const newest = Math.max(...times.filter(Number.isFinite));
  return Number.isFinite(newest) ? newest : undefined;
}

function timeOf(value: unknown): number {
  return typeof value === "string" ? Date.parse(value) : Number.NaN;
}
