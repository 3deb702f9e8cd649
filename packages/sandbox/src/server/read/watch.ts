import type { ServedResource } from "../../resource/served-resource.ts";
import type { ApiError } from "../../status/api-error.ts";
import { plainError } from "../../status/api-error.ts";
import { revisionTooLarge, tooOldToWatch } from "../../status/request-errors.ts";
import { CompactedError } from "../../store/errors.ts";
import type { StoreChange } from "../../store/store.ts";
import type { ListOptions } from "../options/list-options.ts";
import { requestedRevision } from "../request/resource-version.ts";
import type { ReadDependencies } from "../server-dependencies.ts";
import { EventQueue } from "./event-queue.ts";
import { listPage } from "./list.ts";
import type { Selection } from "./selection.ts";
import { seenChange, type WatchChange } from "./watch-change.ts";

export type WatchItem =
  | (WatchChange & { readonly isInitial: boolean })
  | { readonly type: "BOOKMARK"; readonly resourceVersion: string; readonly isEndOfInitial: boolean }
  | { readonly type: "ERROR"; readonly error: ApiError };

export interface WatchRequest {
  readonly resource: ServedResource;
  readonly selection: Selection;
  readonly options: ListOptions;
  readonly signal: AbortSignal;
}

export interface OpenWatch {
  readonly queue: EventQueue<WatchItem>;
  /** Ends it and lets go of everything; may be called again. */
  stop(): void;
}

const bookmarkIntervalMs = 60_000;
/** How long before the end of a watch its last bookmark comes. */
const lastBookmarkMs = 2_000;
const defaultTimeoutSeconds = 1_800;

/**
 * Follows a selection from the revision that was asked for; it is followed from this moment, whenever the queue is read.
 * Ends by itself when its time is over, its reader is too slow or its client gone. Throws ApiError for what is refused
 * before a stream begins.
 */
export function openWatch(dependencies: ReadDependencies, request: WatchRequest): OpenWatch {
  const { watchBufferLimit = 20_000 } = dependencies;
  const { options, signal } = request;
  const requested = requestedRevision(options.resourceVersion, plainError);
  const queue = new EventQueue<WatchItem>(watchBufferLimit);
  const cleanups: (() => void)[] = [];
  const stop = (): void => {
    queue.end();
    for (const cleanup of cleanups.splice(0)) cleanup();
  };
  const onAbort = (): void => stop();
  signal.addEventListener("abort", onAbort, { once: true });
  cleanups.push(() => signal.removeEventListener("abort", onAbort));
  const start = { dependencies, request, queue, requested };
  const unsubscribe = options.sendInitialEvents === true ? followFromState(start) : followFromRevision(start);
  cleanups.push(unsubscribe, ...startTimers(dependencies, options, queue, stop));
  if (request.resource.isCustom) cleanups.push(endWithDefinition(dependencies, request.resource, stop));
  if (signal.aborted) stop();
  return { queue, stop };
}

interface Start {
  readonly dependencies: ReadDependencies;
  readonly request: WatchRequest;
  readonly queue: EventQueue<WatchItem>;
  /** 0: whichever. */
  readonly requested: number;
}

/** First what is there, then what changes. */
function followFromState(start: Start): () => void {
  const { dependencies, request, queue, requested } = start;
  const { store } = dependencies;
  const { resource, selection, options } = request;
  if (requested > store.revision) return refuse(queue, revisionTooLarge(requested, store.revision));
  const state = { ...options, continue: "", limit: 0, resourceVersionMatch: "" };
  const page = listPage(dependencies, resource, selection, state);
  const revision = Number(page.metadata.resourceVersion);
  queue.pushAll(page.objects.map((object) => ({ type: "ADDED", object, isInitial: true }) as const));
  if (options.allowWatchBookmarks) {
    queue.pushAll([{ type: "BOOKMARK", resourceVersion: String(revision), isEndOfInitial: true }]);
  }
  return subscribe(start, revision);
}

function followFromRevision(start: Start): () => void {
  const { store } = start.dependencies;
  const { requested, queue } = start;
  // From nowhere, without what is there: from now on.
  if (requested === 0) return subscribe(start, store.revision);
  try {
    return subscribe(start, requested);
  } catch (error) {
    if (!(error instanceof CompactedError)) throw error;
    return refuse(queue, tooOldToWatch(requested, store.compactedRevision));
  }
}

/** What happened up to a revision that is still to come is not told. */
function subscribe({ dependencies, request, queue }: Start, after: number): () => void {
  const { store } = dependencies;
  const { resource, selection } = request;
  const listener = (change: StoreChange): void => {
    if (change.revision <= after) return;
    const seen = seenChange(selection, change);
    if (seen !== undefined) queue.push({ ...seen, isInitial: false });
  };
  return store.subscribe(resource.collection, Math.min(after, store.revision), listener);
}

/** A refusal that comes as an event of a stream. */
function refuse(queue: EventQueue<WatchItem>, error: ApiError): () => void {
  queue.push({ type: "ERROR", error });
  queue.end();
  return () => {};
}

function startTimers(
  { clock, random, store }: ReadDependencies,
  { timeoutSeconds, allowWatchBookmarks }: ListOptions,
  queue: EventQueue<WatchItem>,
  stop: () => void,
): readonly (() => void)[] {
  const seconds =
    timeoutSeconds === undefined || timeoutSeconds === 0
      ? defaultTimeoutSeconds * (1 + random.next())
      : timeoutSeconds;
  const timeoutMs = Math.min(Math.max(0, seconds * 1_000), longestTimerMs);
  const cancelTimeout = clock.schedule(timeoutMs, stop);
  if (!allowWatchBookmarks) return [cancelTimeout];
  const bookmark = (): void => {
    queue.push({ type: "BOOKMARK", resourceVersion: String(store.revision), isEndOfInitial: false });
  };
  const lastAt = timeoutMs - lastBookmarkMs;
  const cancelLast = lastAt > 0 ? clock.schedule(lastAt, bookmark) : () => {};
  let cancelNext: () => void = () => {};
  const repeat = (): void => {
    cancelNext = clock.schedule(bookmarkIntervalMs, () => {
      bookmark();
      repeat();
    });
  };
  repeat();
  return [cancelTimeout, cancelLast, () => cancelNext()];
}

/** Timers of the machine take no longer delays. */
const longestTimerMs = 2 ** 31 - 1;

/** How long watches of a custom kind still see what happens after its definition changed. */
const lastEventsMs = 1_000;

/** Ends a watch a moment after the definition of its kind changed or went. Gives a function that lets go of all this. */
function endWithDefinition(
  { registry, clock }: Pick<ReadDependencies, "registry" | "clock">,
  { group, version, plural, definedBy }: ServedResource,
  end: () => void,
): () => void {
  let cancel: (() => void) | undefined;
  const stopListening = registry.onChange(() => {
    const served = registry.find(group, version, plural);
    const isSame = served !== undefined && served.definedBy === definedBy;
    if (!isSame) cancel ??= clock.schedule(lastEventsMs, end);
  });
  return () => {
    stopListening();
    cancel?.();
  };
}
