// biome-ignore-all lint/style/noExcessiveLinesPerFile: the states and transitions of one machine are read together
import { compareResourceVersions, isResourceVersion, type KubeObject, type Random } from "@keelson/core";
import { afterFailure, type Backoff, freshBackoff } from "./backoff.ts";
import { IncompleteSyncError, SilentWatchError, VeryShortWatchError } from "./errors.ts";
import type { Bookmark, ObjectEvent, Snapshot } from "./snapshot.ts";
import type { WatchFailure } from "./watch-failure.ts";

/**
 * The state of a reflector.
 *
 *     idle ──▶ streaming ──complete──▶ watching ──ended──▶ watching
 *                  │                      ▲
 *                  └─refused, ignored─▶ listing ──complete
 *
 *     any of these ──failed──▶ waiting ──▶ streaming again, or watching again
 *     any of these ──stop──▶ stopped
 */
export type WatchState =
  /** No request has been sent yet. Left by `start`. */
  | { readonly phase: "idle" }
  /**
   * A watch-list: one watch that begins with all objects. They are collected, and the sink does not see them until the
   * bookmark that ends them; then the same connection is the live watch.
   */
  | { readonly phase: "streaming"; readonly memory: Memory; readonly stream: StreamFacts }
  /** A list, because the server refused or ignored a watch-list. Collects page after page; the last one leads to `watching`. */
  | { readonly phase: "listing"; readonly memory: Memory; readonly listing: Listing }
  /** The sink has all objects, and each event goes straight to it. */
  | {
      readonly phase: "watching";
      readonly memory: Memory;
      readonly stream: StreamFacts;
      /** This stream has delivered a bookmark, so another one is due about each minute. */
      readonly hasBookmark: boolean;
      /** Versions of events only grow. Not so for the first objects of a watch that was opened without a version. */
      readonly isOrdered: boolean;
      /** This stream has delivered a version that cannot be requested, and a warning was given. */
      readonly hasInvalidVersion: boolean;
    }
  /** A request failed; none is sent before `untilMs`. Then the watch resumes, or everything is read again. */
  | {
      readonly phase: "waiting";
      readonly memory: Memory;
      readonly untilMs: number;
      readonly next: "watch" | "sync";
    }
  /** The end. No input leaves it and nothing is delivered in it. */
  | { readonly phase: "stopped" };

/** What outlives a stream. */
interface Memory {
  /** The version that the sink has reached. Empty until the first sync. */
  readonly resourceVersion: string;
  /** The server does not have that version, or may not understand it: the next sync reads the newest state. */
  readonly isVersionRefused: boolean;
  /** The server pages even where its watch cache would not: it has no watch cache, so paging costs nothing [RF6]. */
  readonly isPagingForced: boolean;
  readonly backoff: Backoff;
  /** When the current series of internal errors began and when the last one came. */
  readonly internalErrors: { readonly firstMs: number; readonly lastMs: number } | undefined;
}

interface StreamFacts {
  /** The version that the stream was opened with. */
  readonly openedAtVersion: string;
  readonly openedAtMs: number;
  /** When the last line came, or when the stream was opened. */
  readonly lastLineAtMs: number;
  /** When the last warning about silence was given. */
  readonly warnedAtMs: number;
  /** When the server should have ended the stream long ago. */
  readonly overdueAtMs: number;
  readonly events: number;
  /** Since when objects are counted, to notice that the first ones come no more, and how many have come since. */
  readonly countedFromMs: number;
  readonly counted: number;
}

export interface ListRequest {
  /** `0`: any version that the server has cached; empty: the newest state. Not given together with `continue`. */
  readonly resourceVersion?: string;
  readonly limit?: number;
  readonly continue?: string;
}

interface Listing {
  /** The version that the list requests, whichever page is being read. */
  readonly requestedVersion: string;
  readonly request: ListRequest;
  /** The version of the first page, which is the version of the list; undefined until that page has come. */
  readonly resourceVersion: string | undefined;
}

/** What happens to the machine. */
export type WatchInput<T extends KubeObject> =
  | { readonly type: "start" }
  | { readonly type: "event"; readonly event: ObjectEvent<T> | Bookmark }
  /** An event about an object of another kind. */
  | { readonly type: "unexpectedEvent"; readonly description: string }
  /** The stream is over: the server ended it, it could not be opened, or a line on it was an error. */
  | { readonly type: "streamEnded"; readonly failure?: WatchFailure }
  | {
      readonly type: "page";
      readonly items: readonly Snapshot<T>[];
      readonly resourceVersion: string;
      readonly continue: string;
    }
  | { readonly type: "listFailed"; readonly failure: WatchFailure }
  /** The sink threw, so it may have missed an event. */
  | { readonly type: "sinkFailed"; readonly failure: WatchFailure }
  /** Time has passed; see `dueAt`. */
  | { readonly type: "tick" }
  | { readonly type: "stop" };

/** What the reflector has to do, in this order. */
export type WatchEffect<T extends KubeObject> =
  | {
      readonly type: "openStream";
      readonly resourceVersion: string;
      readonly sendInitialEvents: boolean;
      readonly timeoutSeconds: number;
    }
  | { readonly type: "requestPage"; readonly request: ListRequest }
  /** Ends the stream or the list that is open. */
  | { readonly type: "abandon" }
  | { readonly type: "collect"; readonly event: ObjectEvent<T> }
  | { readonly type: "collectPage"; readonly items: readonly Snapshot<T>[] }
  /** Drops what was collected. */
  | { readonly type: "discard" }
  /** Passes everything that was collected to the sink, in one step. */
  | { readonly type: "replace"; readonly resourceVersion: string }
  | { readonly type: "apply"; readonly event: ObjectEvent<T> }
  | { readonly type: "bookmark"; readonly resourceVersion: string }
  /** The server sends no bookmark at the end of the first objects; its next syncs should not try. */
  | { readonly type: "rememberIgnoredWatchList" }
  | { readonly type: "report"; readonly error: Error }
  | { readonly type: "warn"; readonly message: string };

/** The options of a watch machine; they do not change during its life. */
export interface WatchRules {
  /** What it watches, for messages, such as `watch pods in shop`. */
  readonly operation: string;
  /** Whether a sync first tries a watch-list. */
  readonly usesWatchList: boolean;
  /** Watches last between this long and twice as long; less than 300 s counts as 300 s [RF8]. */
  readonly watchTimeoutSeconds: number;
  /** How often the server sends bookmarks. */
  readonly bookmarkIntervalMs: number;
  /** How long a watch that ends with an internal error is only reopened. 0: everything is read again [RF11]. */
  readonly internalErrorGraceMs: number;
}

/** What a step of the machine depends on beside its state and input. */
export interface Moment {
  /** From a monotonic clock. */
  readonly nowMs: number;
  readonly random: Random;
  readonly rules: WatchRules;
}

/** The next state, and what the reflector has to do. */
export interface WatchStep<T extends KubeObject> {
  readonly state: WatchState;
  readonly effects: readonly WatchEffect<T>[];
}

/** A step that passes on no object. */
type Step = WatchStep<never>;

const pageSize = 500;
const leastTimeoutSeconds = 300;
/** A stream without an event that ends within this time was of no use [RF9]. */
const veryShortMs = 1_000;
/** How long the first objects may pause before a warning [RF4]. */
const warnAfterMs = 10_000;
/** A watch-list that delivers fewer objects in this time, and no bookmark, is an ordinary watch [RF21]. */
const fewestInitialObjects = 100;
const initialObjectsMs = 20_000;
/** How long after its announced end a stream without bookmarks is given up [RF17]. */
const overdueMs = 30_000;
/** This many bookmarks in a row do not get lost: the connection did [RF17]. */
const missedBookmarks = 3;
/** After this long without one, internal errors are a new series. */
const internalErrorsForgottenMs = 60_000;
/** A Retry-After that is longer is not waited for: a mistake in it would stop the kind for good. */
const longestRetryAfterMs = 300_000;
/** Servers parse versions as unsigned integers of 64 bits. */
const largestVersion = "18446744073709551615";
/** A kind or a permission that is missing at the start is tried again at least this often [EV8]. */
const longestWaitForMissingMs = 10_000;

/** The state in which a machine begins. */
export const idle: WatchState = { phase: "idle" };

const newMemory: Memory = {
  resourceVersion: "",
  isVersionRefused: false,
  isPagingForced: false,
  backoff: freshBackoff,
  internalErrors: undefined,
};

/**
 * The whole behaviour of a reflector: from a state and an input to the next state and what the reflector has to do. It
 * is pure, and an input that makes no sense in a state changes nothing.
 *
 * Whatever a server responds, requests do not follow each other without a wait, except in chains that end by
 * themselves: another page, a list instead of a watch-list, the newest state instead of a version that was refused,
 * and a new watch after one that delivered events.
 */
export function transition<T extends KubeObject>(
  state: WatchState,
  input: WatchInput<T>,
  at: Moment,
): WatchStep<T> {
  if (input.type === "stop" && state.phase !== "stopped") {
    return { state: { phase: "stopped" }, effects: [{ type: "abandon" }, { type: "discard" }] };
  }
  if (input.type === "sinkFailed" && "memory" in state) {
    // What the sink missed is not known, so it receives everything again.
    return prepend([{ type: "abandon" }, { type: "discard" }], wait(state.memory, "sync", input.failure, at));
  }
  switch (state.phase) {
    case "idle":
      return input.type === "start" ? sync(newMemory, at) : { state, effects: [] };
    case "streaming":
      return inStreaming(state, input, at);
    case "listing":
      return inListing(state, input, at);
    case "watching":
      return inWatching(state, input, at);
    case "waiting":
      if (input.type !== "tick" || at.nowMs < state.untilMs) return { state, effects: [] };
      return state.next === "watch" ? watch(state.memory, at) : sync(state.memory, at);
    case "stopped":
      return { state, effects: [] };
  }
}

/** When the machine needs a `tick`, by the clock of its moments; undefined if it does not wait for time to pass. */
export function dueAt(state: WatchState, rules: WatchRules): number | undefined {
  switch (state.phase) {
    case "streaming":
      return streamingDueAt(state);
    case "watching":
      return watchingDueAt(state, rules);
    case "waiting":
      return state.untilMs;
    default:
      return undefined;
  }
}

type Streaming = Extract<WatchState, { readonly phase: "streaming" }>;
type InListing = Extract<WatchState, { readonly phase: "listing" }>;
type Watching = Extract<WatchState, { readonly phase: "watching" }>;

function inStreaming<T extends KubeObject>(state: Streaming, input: WatchInput<T>, at: Moment): WatchStep<T> {
  switch (input.type) {
    case "event":
      return onInitialEvent(state, input.event, at);
    case "unexpectedEvent":
      return onUnexpectedEvent(state, input.description, at);
    case "streamEnded":
      return prepend([{ type: "discard" }], onStreamingEnd(state, input.failure, at));
    case "tick":
      return onStreamingTick(state, at);
    default:
      return { state, effects: [] };
  }
}

/** The sink sees nothing before the bookmark that ends the first objects; with it, it sees everything [RF2]. */
function onInitialEvent<T extends KubeObject>(
  state: Streaming,
  event: ObjectEvent<T> | Bookmark,
  at: Moment,
): WatchStep<T> {
  const stream = afterLine(state.stream, at, 1);
  if (event.type !== "BOOKMARK") {
    const counted = event.type === "ADDED" ? countObject(stream, at) : stream;
    return { state: { ...state, stream: counted }, effects: [{ type: "collect", event }] };
  }
  if (!event.endsInitialEvents) return { state: { ...state, stream }, effects: [] };
  const { resourceVersion } = event;
  const memory: Memory = { ...state.memory, resourceVersion, isVersionRefused: false };
  return {
    state: {
      phase: "watching",
      memory,
      stream,
      hasBookmark: true,
      isOrdered: true,
      hasInvalidVersion: false,
    },
    effects: [{ type: "replace", resourceVersion }],
  };
}

/** The stream is over before all objects have come [RF3]. */
function onStreamingEnd({ memory, stream }: Streaming, failure: WatchFailure | undefined, at: Moment): Step {
  const { operation } = at.rules;
  if (failure === undefined) {
    if (isVeryShort(stream, at))
      return prepend([{ type: "report", error: new VeryShortWatchError(operation) }], list(memory));
    const error = new IncompleteSyncError(operation);
    // Another watch-list would take as long, and end as early.
    if (at.nowMs - stream.openedAtMs >= initialObjectsMs)
      return prepend([{ type: "report", error }], list(memory));
    return wait(memory, "sync", { error }, at);
  }
  switch (failure.kind) {
    case "unreachable":
    case "tooManyRequests":
    case "garbled":
      return wait(memory, "sync", failure, at);
    case "expired":
    case "versionTooLarge": {
      const withoutVersion = { ...memory, isVersionRefused: true };
      // The newest state cannot be too old or too new. If the server claims so all the same, a list follows.
      const next = stream.openedAtVersion === "" ? list(memory) : sync(withoutVersion, at);
      return prepend([{ type: "report", error: failure.error }], next);
    }
    case "internal":
    case "timeout":
    case "other":
      return prepend([{ type: "report", error: failure.error }], list(memory));
  }
}

function onStreamingTick(state: Streaming, at: Moment): Step {
  const { memory, stream } = state;
  if (at.nowMs >= ignoredAt(stream)) {
    const effects = [{ type: "abandon" }, { type: "discard" }, { type: "rememberIgnoredWatchList" }] as const;
    return prepend(effects, list(memory));
  }
  if (at.nowMs < streamingDueAt(state)) return { state, effects: [] };
  const silentMs = at.nowMs - stream.lastLineAtMs;
  const message =
    `${at.rules.operation}: still waiting for the first objects, of which ${stream.events} have come; ` +
    `nothing was received for ${Math.round(silentMs / 1000)} s`;
  return {
    state: { ...state, stream: { ...stream, warnedAtMs: at.nowMs } },
    effects: [{ type: "warn", message }],
  };
}

function streamingDueAt({ stream }: Streaming): number {
  return Math.min(Math.max(stream.lastLineAtMs, stream.warnedAtMs) + warnAfterMs, ignoredAt(stream));
}

/**
 * When a stream that has not marked the end of the first objects is not a watch-list [RF21]. The first objects of a
 * server that knows watch-lists come in a flood, and the bookmark right after them; changes of objects, which an ordinary
 * watch delivers, come at any pace.
 */
function ignoredAt({ countedFromMs, overdueAtMs }: StreamFacts): number {
  return Math.min(countedFromMs + initialObjectsMs, overdueAtMs);
}

/** Begins to count anew with each hundred objects. */
function countObject(stream: StreamFacts, { nowMs }: Moment): StreamFacts {
  const counted = stream.counted + 1;
  return counted < fewestInitialObjects
    ? { ...stream, counted }
    : { ...stream, counted: 0, countedFromMs: nowMs };
}

function inListing<T extends KubeObject>(state: InListing, input: WatchInput<T>, at: Moment): WatchStep<T> {
  switch (input.type) {
    case "page":
      return onPage(state, input, at);
    case "listFailed":
      return onListFailure(state, input.failure, at);
    default:
      return { state, effects: [] };
  }
}

function onPage<T extends KubeObject>(
  state: InListing,
  page: Extract<WatchInput<T>, { readonly type: "page" }>,
  at: Moment,
): WatchStep<T> {
  const { memory, listing } = state;
  const collected = { type: "collectPage", items: page.items } as const;
  // The version of the list, not of its newest item: between the two, items may have been deleted [RF7].
  const resourceVersion = listing.resourceVersion ?? page.resourceVersion;
  if (page.continue !== "") {
    const request: ListRequest = { limit: pageSize, continue: page.continue };
    return {
      state: { ...state, listing: { ...listing, resourceVersion, request } },
      effects: [collected, { type: "requestPage", request }],
    };
  }
  const wasPaged = listing.resourceVersion !== undefined;
  const listed: Memory = {
    ...memory,
    resourceVersion,
    isVersionRefused: false,
    isPagingForced: memory.isPagingForced || (wasPaged && listing.requestedVersion === "0"),
  };
  return prepend([collected, { type: "replace", resourceVersion }], watch(listed, at));
}

function onListFailure(state: InListing, failure: WatchFailure, at: Moment): Step {
  const { memory, listing } = state;
  const next = fallbackAfter(memory, listing, failure);
  if (next === undefined) return prepend([{ type: "discard" }], wait(memory, "sync", failure, at));
  // Kept until a list succeeds: if this one failed too, the next would begin at a version that the server lacks.
  const isVersionRefused = memory.isVersionRefused || next.requestedVersion === "";
  return {
    state: { phase: "listing", memory: { ...memory, isVersionRefused }, listing: next },
    effects: [
      { type: "report", error: failure.error },
      { type: "discard" },
      { type: "requestPage", request: next.request },
    ],
  };
}

/**
 * The list to request instead, at once, when a list failed [RF5, RF6]; undefined if only waiting can help. A continue
 * token that expired between two pages leads to one list without pages; a version that the server does not have, or
 * that can be the reason of the refusal, leads to one list of the newest state. Each of them is tried once, so this ends.
 */
function fallbackAfter(memory: Memory, listing: Listing, failure: WatchFailure): Listing | undefined {
  const { requestedVersion, request } = listing;
  if (failure.kind === "expired" && request.continue !== undefined) {
    return { requestedVersion, request: { resourceVersion: requestedVersion }, resourceVersion: undefined };
  }
  const isVersionMissing = failure.kind === "expired" || failure.kind === "versionTooLarge";
  const isVersionSuspect = requestedVersion !== "0" && failure.isVersionSuspect === true;
  return (isVersionMissing || isVersionSuspect) && requestedVersion !== ""
    ? beginList(memory, "")
    : undefined;
}

function inWatching<T extends KubeObject>(state: Watching, input: WatchInput<T>, at: Moment): WatchStep<T> {
  switch (input.type) {
    case "event":
      return onEvent(state, input.event, at);
    case "unexpectedEvent":
      return onUnexpectedEvent(state, input.description, at);
    case "streamEnded":
      return onWatchingEnd(state, input.failure, at);
    case "tick":
      return onWatchingTick(state, at);
    default:
      return { state, effects: [] };
  }
}

function onEvent<T extends KubeObject>(
  state: Watching,
  event: ObjectEvent<T> | Bookmark,
  at: Moment,
): WatchStep<T> {
  const isBookmark = event.type === "BOOKMARK";
  const version = isBookmark ? event.resourceVersion : event.snapshot.resourceVersion;
  // A watch that was opened without a version begins with the existing objects, in no order: if it resumed at the
  // version of one of them, it would miss the rest [RF10].
  const isOrdered = state.isOrdered || event.type !== "ADDED";
  const isInvalid = !isRequestable(version) && isRequestable(state.memory.resourceVersion);
  const isProgress = isOrdered && version !== "" && !isInvalid;
  const resourceVersion = isProgress ? version : state.memory.resourceVersion;
  const effect: WatchEffect<T> = isBookmark
    ? { type: "bookmark", resourceVersion }
    : { type: "apply", event };
  const mustWarn = isInvalid && version !== "" && !state.hasInvalidVersion;
  return {
    state: {
      phase: "watching",
      memory: { ...state.memory, resourceVersion },
      stream: afterLine(state.stream, at, 1),
      hasBookmark: state.hasBookmark || isBookmark,
      isOrdered,
      hasInvalidVersion: state.hasInvalidVersion || mustWarn,
    },
    effects: mustWarn ? [effect, invalidVersionWarning(version, resourceVersion, at)] : [effect],
  };
}

function invalidVersionWarning(version: string, lastVersion: string, { rules }: Moment): WatchEffect<never> {
  const message =
    `${rules.operation}: an event has the resource version ${JSON.stringify(version.slice(0, 40))}, which no server ` +
    `accepts in a request; the watch resumes from ${lastVersion}`;
  return { type: "warn", message };
}

/**
 * Whether servers accept a version in a request. One that is not requestable does not take the place of one that is, or
 * the watch could not resume [RF22]; aggregated API servers that have no others use them throughout.
 */
function isRequestable(version: string): boolean {
  return isResourceVersion(version) && compareResourceVersions(version, largestVersion) <= 0;
}

/** What the end of a watch leads to [RF11, RF12]: reading everything again costs most, so it comes last. */
function onWatchingEnd({ memory, stream }: Watching, failure: WatchFailure | undefined, at: Moment): Step {
  if (failure === undefined) {
    if (!isVeryShort(stream, at)) return watch(memory, at);
    return wait(memory, "watch", { error: new VeryShortWatchError(at.rules.operation) }, at);
  }
  switch (failure.kind) {
    case "unreachable":
      // A stream that delivered events and broke is reopened at once; one that never worked would not work now.
      if (stream.events === 0) return wait(memory, "watch", failure, at);
      return prepend([{ type: "report", error: failure.error }], watch(memory, at));
    case "tooManyRequests":
    case "timeout":
    case "garbled":
      return wait(memory, "watch", failure, at);
    case "internal":
      return onInternalError(memory, failure, at);
    case "expired":
    case "versionTooLarge":
    case "other":
      // The version is kept: a sync requests a state that is no older, which the server can have [RF11].
      return wait(memory, "sync", failure, at);
  }
}

function onInternalError(memory: Memory, failure: WatchFailure, at: Moment): Step {
  const { nowMs, rules } = at;
  const series = memory.internalErrors;
  const isNewSeries = series === undefined || nowMs - series.lastMs >= internalErrorsForgottenMs;
  const firstMs = isNewSeries ? nowMs : series.firstMs;
  const isInGrace = rules.internalErrorGraceMs > 0 && nowMs - firstMs <= rules.internalErrorGraceMs;
  const internalErrors = isInGrace ? { firstMs, lastMs: nowMs } : undefined;
  return wait({ ...memory, internalErrors }, isInGrace ? "watch" : "sync", failure, at);
}

function onWatchingTick(state: Watching, at: Moment): Step {
  const { memory, stream } = state;
  if (at.nowMs < watchingDueAt(state, at.rules)) return { state, effects: [] };
  const error = new SilentWatchError(at.rules.operation, at.nowMs - stream.lastLineAtMs);
  return prepend([{ type: "abandon" }, { type: "report", error }], watch(memory, at));
}

/**
 * When the silence of a stream means that its connection is dead [RF17]. Bookmarks come about once a minute, but not
 * from every server: one that has sent none may be silent until it should have ended the stream.
 *
 * The bookmark that ends the first objects counts, so that a connection that dies right after them is found as soon. A
 * server sends no bookmark at the version that the stream began with, so where nothing changes, and the storage reports
 * no progress either, a healthy stream is reopened once after each sync: one request, and no event is lost.
 */
function watchingDueAt({ stream, hasBookmark }: Watching, { bookmarkIntervalMs }: WatchRules): number {
  return hasBookmark ? stream.lastLineAtMs + missedBookmarks * bookmarkIntervalMs : stream.overdueAtMs;
}

/** Skips the event with a warning. Its version does not count as progress: it belongs to another kind [RF14]. */
function onUnexpectedEvent(state: Streaming | Watching, description: string, at: Moment): Step {
  return {
    state: { ...state, stream: afterLine(state.stream, at) },
    effects: [{ type: "warn", message: `${at.rules.operation}: ${description}` }],
  };
}

/** Reads everything: by a watch-list at the last version, or at the newest if the server refused that one [RF1]. */
function sync(memory: Memory, at: Moment): Step {
  if (!at.rules.usesWatchList) return list(memory);
  const version = memory.isVersionRefused ? "" : memory.resourceVersion;
  const { stream, effect } = openStream(version, true, at);
  return { state: { phase: "streaming", memory, stream }, effects: [effect] };
}

/**
 * Reads everything page by page. The first list of all accepts any version that the server has cached [RF5]; a later one
 * nothing older than what the sink has seen.
 */
function list(memory: Memory): Step {
  const { isVersionRefused, resourceVersion } = memory;
  const knownVersion = resourceVersion === "" ? "0" : resourceVersion;
  const listing = beginList(memory, isVersionRefused ? "" : knownVersion);
  return {
    state: { phase: "listing", memory, listing },
    effects: [{ type: "requestPage", request: listing.request }],
  };
}

/**
 * A list of a concrete version is not paged, because only then the server serves it from its watch cache; unless the
 * server has shown that it has no watch cache [RF6].
 */
function beginList({ isPagingForced }: Memory, requestedVersion: string): Listing {
  const isConcrete = requestedVersion !== "" && requestedVersion !== "0";
  const request: ListRequest =
    isConcrete && !isPagingForced
      ? { resourceVersion: requestedVersion }
      : { resourceVersion: requestedVersion, limit: pageSize };
  return { requestedVersion, request, resourceVersion: undefined };
}

/** Resumes with the changes after the last version. */
function watch(memory: Memory, at: Moment): Step {
  const { stream, effect } = openStream(memory.resourceVersion, false, at);
  const isOrdered = memory.resourceVersion !== "" && memory.resourceVersion !== "0";
  return {
    state: {
      phase: "watching",
      memory,
      stream,
      hasBookmark: false,
      isOrdered,
      hasInvalidVersion: false,
    },
    effects: [effect],
  };
}

/** The server keeps a watch open for whole seconds, drawn anew for each watch, so that their ends spread [RF8]. */
function openStream(
  resourceVersion: string,
  sendInitialEvents: boolean,
  { nowMs, random, rules }: Moment,
): { readonly stream: StreamFacts; readonly effect: WatchEffect<never> } {
  const leastSeconds = Math.max(rules.watchTimeoutSeconds, leastTimeoutSeconds);
  const timeoutSeconds = Math.floor(leastSeconds + random.next() * leastSeconds);
  return {
    stream: {
      openedAtVersion: resourceVersion,
      openedAtMs: nowMs,
      lastLineAtMs: nowMs,
      warnedAtMs: nowMs,
      overdueAtMs: nowMs + timeoutSeconds * 1000 + overdueMs,
      events: 0,
      countedFromMs: nowMs,
      counted: 0,
    },
    effect: { type: "openStream", resourceVersion, sendInitialEvents, timeoutSeconds },
  };
}

/**
 * Reports a failure and waits: as long as the back-off demands, and not less than the server's Retry-After, up to five
 * minutes. The first
 * sync of a kind that is about to be installed does not wait out the longest back-off.
 */
function wait(
  memory: Memory,
  next: "watch" | "sync",
  { error, retryAfterMs = 0, isMissing = false }: Omit<WatchFailure, "kind">,
  at: Moment,
): Step {
  const { delayMs, backoff } = afterFailure(memory.backoff, at);
  const isFirstSync = memory.resourceVersion === "";
  const longestMs = isMissing && isFirstSync ? longestWaitForMissingMs : Number.POSITIVE_INFINITY;
  const demandedMs = Math.min(retryAfterMs, longestRetryAfterMs);
  const untilMs = at.nowMs + Math.max(Math.min(delayMs, longestMs), demandedMs);
  return {
    state: { phase: "waiting", memory: { ...memory, backoff }, untilMs, next },
    effects: [{ type: "report", error }],
  };
}

/** The facts of a stream after another line has come. */
function afterLine(stream: StreamFacts, { nowMs }: Moment, events = 0): StreamFacts {
  return { ...stream, lastLineAtMs: nowMs, events: stream.events + events };
}

/** Whether a stream that is over was of no use at all [RF9]. */
function isVeryShort({ openedAtMs, events }: StreamFacts, { nowMs }: Moment): boolean {
  return events === 0 && nowMs - openedAtMs < veryShortMs;
}

function prepend<T extends KubeObject>(effects: readonly WatchEffect<T>[], step: WatchStep<T>): WatchStep<T> {
  return { state: step.state, effects: [...effects, ...step.effects] };
}
