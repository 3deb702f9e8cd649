import type { KubeObject } from "@keelson/core";
import { IncompleteSyncError, SilentWatchError, VeryShortWatchError } from "./errors.ts";
import { heard, isVeryShort } from "./stream-facts.ts";
import type { WatchFailure } from "./watch-failure.ts";
import { first, list, sync, type WatchStep, wait } from "./watch-moves.ts";
import type { Moment } from "./watch-rules.ts";
import type { Bookmark, Memory, ObjectEvent, WatchInput, WatchState } from "./watch-state.ts";

type Streaming = Extract<WatchState, { readonly phase: "streaming" }>;

/** How long the first objects may pause before a warning [RF4]. */
const warnAfterMs = 10_000;

/** A step of a machine that receives the first objects. */
export function inStreaming<T extends KubeObject>(
  state: Streaming,
  input: WatchInput<T>,
  at: Moment,
): WatchStep<T> {
  switch (input.type) {
    case "event":
      return onEvent(state, input.event, at);
    case "strangeEvent":
      return {
        state: { ...state, stream: heard(state.stream, at) },
        effects: [{ type: "warn", message: `${at.rules.operation}: ${input.description}` }],
      };
    case "streamEnded":
      return first([{ type: "discard" }], onEnd(state, input.failure, at));
    case "tick":
      return onTick(state, at);
    default:
      return { state, effects: [] };
  }
}

export function streamingDueAt({ stream: { heardAtMs, warnedAtMs, overdueAtMs } }: Streaming): number {
  return Math.min(Math.max(heardAtMs, warnedAtMs) + warnAfterMs, overdueAtMs);
}

/** Nothing is visible before the bookmark that ends the first objects; with it, everything is [RF2]. */
function onEvent<T extends KubeObject>(
  state: Streaming,
  event: ObjectEvent<T> | Bookmark,
  at: Moment,
): WatchStep<T> {
  const stream = heard(state.stream, at, 1);
  if (event.type !== "BOOKMARK")
    return { state: { ...state, stream }, effects: [{ type: "collect", event }] };
  if (!event.endsInitialEvents) return { state: { ...state, stream }, effects: [] };
  const { resourceVersion } = event;
  const memory: Memory = { ...state.memory, resourceVersion, isVersionRefused: false };
  return {
    state: { phase: "watching", memory, stream, hasBookmark: true, isOrdered: true },
    effects: [{ type: "replace", resourceVersion }],
  };
}

/** The stream is over before all objects have come [RF3]. */
function onEnd<T extends KubeObject>(
  { memory, stream }: Streaming,
  failure: WatchFailure | undefined,
  at: Moment,
): WatchStep<T> {
  const { operation } = at.rules;
  if (failure === undefined) {
    if (!isVeryShort(stream, at))
      return wait(memory, "sync", { error: new IncompleteSyncError(operation) }, at);
    return first([{ type: "report", error: new VeryShortWatchError(operation) }], list(memory));
  }
  switch (failure.kind) {
    case "unreachable":
    case "tooManyRequests":
    case "garbled":
      return wait(memory, "sync", failure, at);
    case "expired":
    case "versionTooLarge": {
      const withoutVersion = { ...memory, isVersionRefused: true };
      // The newest state cannot be too old or too new; a server that says so all the same is asked for a list.
      const next = stream.openedAtVersion === "" ? list<T>(memory) : sync<T>(withoutVersion, at);
      return first([{ type: "report", error: failure.error }], next);
    }
    case "internal":
    case "timeout":
    case "other":
      return first([{ type: "report", error: failure.error }], list(memory));
  }
}

function onTick<T extends KubeObject>(state: Streaming, at: Moment): WatchStep<T> {
  const { memory, stream } = state;
  const silentMs = at.nowMs - stream.heardAtMs;
  if (at.nowMs >= stream.overdueAtMs) {
    const error = new SilentWatchError(at.rules.operation, silentMs);
    return first([{ type: "abandon" }, { type: "discard" }], wait(memory, "sync", { error }, at));
  }
  if (at.nowMs < streamingDueAt(state)) return { state, effects: [] };
  const message =
    `${at.rules.operation}: still waiting for the first objects, of which ${stream.events} have come; ` +
    `nothing was heard for ${Math.round(silentMs / 1000)} s`;
  return {
    state: { ...state, stream: { ...stream, warnedAtMs: at.nowMs } },
    effects: [{ type: "warn", message }],
  };
}
