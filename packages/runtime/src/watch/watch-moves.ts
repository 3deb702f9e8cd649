import type { KubeObject } from "@keelson/core";
import { afterFailure } from "./backoff.ts";
import { firstRequest } from "./list-rules.ts";
import type { WatchFailure } from "./watch-failure.ts";
import { type Moment, pickTimeoutSeconds } from "./watch-rules.ts";
import type { Memory, StreamFacts, WatchEffect, WatchState } from "./watch-state.ts";

/** Where the machine is then, and what is to be done. */
export interface WatchStep<T extends KubeObject> {
  readonly state: WatchState;
  readonly effects: readonly WatchEffect<T>[];
}

/** How long after its announced end a stream that never gave a sign of life is given up [RF17]. */
const overdueMs = 30_000;

/** A kind or a permission that is missing at the start is looked for this often at least [EV8]. */
const longestWaitForMissingMs = 10_000;

/** Puts effects in front of those of a step. */
export function first<T extends KubeObject>(
  effects: readonly WatchEffect<T>[],
  step: WatchStep<T>,
): WatchStep<T> {
  return { state: step.state, effects: [...effects, ...step.effects] };
}

/** Reads everything: by a watch-list at the last version, or at the newest if the server refused that one [RF1]. */
export function sync<T extends KubeObject>(memory: Memory, at: Moment): WatchStep<T> {
  if (!at.rules.usesWatchList) return list(memory);
  const version = memory.isVersionRefused ? "" : memory.resourceVersion;
  const { stream, effect } = openStream<T>(version, true, at);
  return { state: { phase: "streaming", memory, stream }, effects: [effect] };
}

/** Reads everything page by page. */
export function list<T extends KubeObject>(memory: Memory): WatchStep<T> {
  const listing = firstRequest(memory);
  return {
    state: { phase: "listing", memory, listing },
    effects: [{ type: "requestPage", request: listing.request }],
  };
}

/** Goes on with the changes after the last version. */
export function watch<T extends KubeObject>(memory: Memory, at: Moment): WatchStep<T> {
  const { stream, effect } = openStream<T>(memory.resourceVersion, false, at);
  const isOrdered = memory.resourceVersion !== "" && memory.resourceVersion !== "0";
  return { state: { phase: "watching", memory, stream, hasBookmark: false, isOrdered }, effects: [effect] };
}

function openStream<T extends KubeObject>(
  resourceVersion: string,
  sendInitialEvents: boolean,
  at: Moment,
): { readonly stream: StreamFacts; readonly effect: WatchEffect<T> } {
  const { nowMs } = at;
  const timeoutSeconds = pickTimeoutSeconds(at);
  return {
    stream: {
      openedAtVersion: resourceVersion,
      openedAtMs: nowMs,
      heardAtMs: nowMs,
      warnedAtMs: nowMs,
      overdueAtMs: nowMs + timeoutSeconds * 1000 + overdueMs,
      events: 0,
    },
    effect: { type: "openStream", resourceVersion, sendInitialEvents, timeoutSeconds },
  };
}

/**
 * Reports a failure and waits: as long as the back-off says, and not less than the server asks for. Whoever waits for
 * the first sync of a kind that is about to be installed does not wait out the longest back-off.
 */
export function wait<T extends KubeObject>(
  memory: Memory,
  next: "watch" | "sync",
  { error, retryAfterMs = 0, isMissing = false }: Omit<WatchFailure, "kind">,
  at: Moment,
): WatchStep<T> {
  const { delayMs, backoff } = afterFailure(memory.backoff, at);
  const isFirstSync = memory.resourceVersion === "";
  const longestMs = isMissing && isFirstSync ? longestWaitForMissingMs : Number.POSITIVE_INFINITY;
  const untilMs = at.nowMs + Math.max(Math.min(delayMs, longestMs), retryAfterMs);
  return {
    state: { phase: "waiting", memory: { ...memory, backoff }, untilMs, next },
    effects: [{ type: "report", error }],
  };
}
