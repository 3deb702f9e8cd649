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
  /** Ends the watch and releases what it holds; may be called again. */
  stop(): void;
}

const bookmarkIntervalMs = 60_000;
/** How long before the end of a watch its last bookmark is sent. */
const lastBookmarkMs = 2_000;
const defaultTimeoutSeconds = 1_800;

/**
 * Watches a selection from the requested revision; events are queued from this moment on. The watch ends with its
 * timeout, when its reader is too slow, and when the request is aborted. Throws ApiError if the request is refused before
 * the stream begins.
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
  /** 0: any. */
  readonly requested: number;
}

/** First the existing objects, then the changes. */
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
  // Without a resource version and without initial events: from now on.
  if (requested === 0) return subscribe(start, store.revision);
  try {
    return subscribe(start, requested);
  } catch (error) {
    if (!(error instanceof CompactedError)) throw error;
    return refuse(queue, tooOldToWatch(requested, store.compactedRevision));
  }
}

/** Changes up to `after` are not sent, also if that revision is in the future. */
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

/** Refuses the watch with an ERROR event. */
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

/** The longest delay of a timer of the machine. */
const longestTimerMs = 2 ** 31 - 1;

/** How long watches of a custom kind still deliver events after its definition changed. */
const lastEventsMs = 1_000;

/** Ends a watch shortly after the definition of its kind changed or was deleted. Returns a function that cancels this. */
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
