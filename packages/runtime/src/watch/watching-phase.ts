import type { KubeObject } from "@keelson/core";
import { SilentWatchError, VeryShortWatchError } from "./errors.ts";
import { heard, isVeryShort } from "./stream-facts.ts";
import type { WatchFailure } from "./watch-failure.ts";
import { first, type WatchStep, wait, watch } from "./watch-moves.ts";
import type { Moment, WatchRules } from "./watch-rules.ts";
import type { Bookmark, Memory, ObjectEvent, WatchEffect, WatchInput, WatchState } from "./watch-state.ts";

type Watching = Extract<WatchState, { readonly phase: "watching" }>;
type Ended<T extends KubeObject> = Extract<WatchInput<T>, { readonly type: "streamEnded" }>;

/** So many bookmarks in a row do not get lost: the connection did [RF17]. */
const missedBookmarks = 3;
/** After so long without one, internal errors are a new series. */
const internalErrorsForgottenMs = 60_000;

/** A step of a machine that receives changes. */
export function inWatching<T extends KubeObject>(
  state: Watching,
  input: WatchInput<T>,
  at: Moment,
): WatchStep<T> {
  switch (input.type) {
    case "event":
      return onEvent(state, input.event, at);
    case "strangeEvent":
      // Its version is not taken for progress: it is of something else [RF14].
      return {
        state: { ...state, stream: heard(state.stream, at) },
        effects: [{ type: "warn", message: `${at.rules.operation}: ${input.description}` }],
      };
    case "streamEnded":
      return onEnd(state, input, at);
    case "tick":
      return onTick(state, at);
    default:
      return { state, effects: [] };
  }
}

/**
 * When the silence of a stream means that its connection is dead [RF17]. Bookmarks come about once a minute, but not
 * from every server: one that has sent none may be silent until it should have ended the stream.
 *
 * The bookmark that ends the first objects counts, so that a connection that dies right after them is found as soon. A
 * server sends none with the version that the stream began with, so where nothing at all changes, and the storage
 * reports no progress either, a healthy stream is opened again once after each sync: one request, and nothing lost.
 */
export function watchingDueAt({ stream, hasBookmark }: Watching, { bookmarkIntervalMs }: WatchRules): number {
  return hasBookmark ? stream.heardAtMs + missedBookmarks * bookmarkIntervalMs : stream.overdueAtMs;
}

function onEvent<T extends KubeObject>(
  state: Watching,
  event: ObjectEvent<T> | Bookmark,
  at: Moment,
): WatchStep<T> {
  const isBookmark = event.type === "BOOKMARK";
  const version = isBookmark ? event.resourceVersion : event.snapshot.resourceVersion;
  // A watch that was opened without a version begins with the objects there are, in no order: had it to begin again
  // at the version of one of them, the others would be missed [RF10].
  const isOrdered = state.isOrdered || event.type !== "ADDED";
  const resourceVersion = isOrdered && version !== "" ? version : state.memory.resourceVersion;
  const effect: WatchEffect<T> = isBookmark
    ? { type: "bookmark", resourceVersion }
    : { type: "apply", event };
  return {
    state: {
      phase: "watching",
      memory: { ...state.memory, resourceVersion },
      stream: heard(state.stream, at, 1),
      hasBookmark: state.hasBookmark || isBookmark,
      isOrdered,
    },
    effects: [effect],
  };
}

function onEnd<T extends KubeObject>(state: Watching, { failure }: Ended<T>, at: Moment): WatchStep<T> {
  const { memory, stream } = state;
  if (failure !== undefined) return onFailure(state, failure, at);
  if (!isVeryShort(stream, at)) return watch(memory, at);
  return wait(memory, "watch", { error: new VeryShortWatchError(at.rules.operation) }, at);
}

/** What a failure of the watch leads to [RF11, RF12]: reading everything again is the dearest answer, so the last one. */
function onFailure<T extends KubeObject>(state: Watching, failure: WatchFailure, at: Moment): WatchStep<T> {
  const { memory, stream } = state;
  switch (failure.kind) {
    case "unreachable":
      // A stream that was of use and broke is opened again at once; one that never worked would not work now.
      if (stream.events === 0) return wait(memory, "watch", failure, at);
      return first([{ type: "report", error: failure.error }], watch(memory, at));
    case "tooManyRequests":
    case "timeout":
    case "garbled":
      return wait(memory, "watch", failure, at);
    case "internal":
      return onInternalError(memory, failure, at);
    case "expired":
    case "versionTooLarge":
    case "other":
      // The version is not forgotten: a sync asks for what is no older, which the server can have [RF11].
      return wait(memory, "sync", failure, at);
  }
}

function onInternalError<T extends KubeObject>(
  memory: Memory,
  failure: WatchFailure,
  at: Moment,
): WatchStep<T> {
  const { nowMs, rules } = at;
  const series = memory.internalErrors;
  const isNewSeries = series === undefined || nowMs - series.lastMs >= internalErrorsForgottenMs;
  const firstMs = isNewSeries ? nowMs : series.firstMs;
  const isInGrace = rules.internalErrorGraceMs > 0 && nowMs - firstMs <= rules.internalErrorGraceMs;
  const internalErrors = isInGrace ? { firstMs, lastMs: nowMs } : undefined;
  return wait({ ...memory, internalErrors }, isInGrace ? "watch" : "sync", failure, at);
}

function onTick<T extends KubeObject>(state: Watching, at: Moment): WatchStep<T> {
  const { memory, stream } = state;
  if (at.nowMs < watchingDueAt(state, at.rules)) return { state, effects: [] };
  const error = new SilentWatchError(at.rules.operation, at.nowMs - stream.heardAtMs);
  return first([{ type: "abandon" }, { type: "report", error }], watch(memory, at));
}
