import type { KubeObject } from "@keelson/core";
import type { Backoff } from "./backoff.ts";
import type { Snapshot } from "./snapshot.ts";
import type { WatchFailure } from "./watch-failure.ts";

/**
 * Where a reflector is.
 *
 *     idle ──▶ streaming ──complete──▶ watching ──ended──▶ watching
 *                  │                      ▲
 *                  └─refused─▶ listing ──complete
 *
 *     any of these ──failed──▶ waiting ──▶ streaming again, or watching again
 *     any of these ──stop──▶ stopped
 */
export type WatchState =
  /** Nothing has been asked yet. Left by `start`. */
  | { readonly phase: "idle" }
  /**
   * A watch-list: one watch that begins with all objects. They are collected, and nobody sees them until the bookmark
   * that ends them; then the same connection is the live watch.
   */
  | { readonly phase: "streaming"; readonly memory: Memory; readonly stream: StreamFacts }
  /** Lists, because a watch-list was refused. Collects page after page; the last one leads to `watching`. */
  | { readonly phase: "listing"; readonly memory: Memory; readonly listing: Listing }
  /** What is collected is delivered, and each event goes straight to the sink. */
  | {
      readonly phase: "watching";
      readonly memory: Memory;
      readonly stream: StreamFacts;
      /** This stream has delivered a bookmark, so that it delivers another one about each minute. */
      readonly hasBookmark: boolean;
      /** Versions of events only grow. Not so for the first objects of a watch that was opened without a version. */
      readonly isOrdered: boolean;
    }
  /** Something failed; nothing is asked before `untilMs`. Then the watch goes on, or everything is read again. */
  | {
      readonly phase: "waiting";
      readonly memory: Memory;
      readonly untilMs: number;
      readonly next: "watch" | "sync";
    }
  /** The end. Nothing leaves it and nothing is delivered in it. */
  | { readonly phase: "stopped" };

/** What outlives a stream. */
export interface Memory {
  /** How far the sink is. Empty until the first sync. */
  readonly resourceVersion: string;
  /** The server does not know that version any more, or not yet: the next sync asks for the newest state. */
  readonly isVersionRefused: boolean;
  /** The server pages also where its watch cache would not: it has none, so that paging costs nothing [RF6]. */
  readonly isPagingForced: boolean;
  readonly backoff: Backoff;
  /** When the current series of internal errors began and when the last one came. */
  readonly internalErrors: { readonly firstMs: number; readonly lastMs: number } | undefined;
}

export interface StreamFacts {
  /** The version that the stream was opened with. */
  readonly openedAtVersion: string;
  readonly openedAtMs: number;
  /** When the last line came, or when the stream was opened. */
  readonly heardAtMs: number;
  /** When the last warning about silence was given. */
  readonly warnedAtMs: number;
  /** When the server should have ended it long since. */
  readonly overdueAtMs: number;
  readonly events: number;
}

export interface ListRequest {
  /** `0`: whatever the server has at hand; empty: the newest state. Not given together with `continue`. */
  readonly resourceVersion?: string;
  readonly limit?: number;
  readonly continue?: string;
}

export interface Listing {
  /** The version that the list was asked for, whichever page is being read. */
  readonly askedVersion: string;
  readonly request: ListRequest;
  /** The version of the first page, which is the version of the list; undefined until it is there. */
  readonly resourceVersion: string | undefined;
}

export interface ObjectEvent<T extends KubeObject = KubeObject> {
  readonly type: "ADDED" | "MODIFIED" | "DELETED";
  readonly snapshot: Snapshot<T>;
}

export interface Bookmark {
  readonly type: "BOOKMARK";
  readonly resourceVersion: string;
  /** All objects that were there at the beginning have come. */
  readonly endsInitialEvents: boolean;
}

/** What happens to the machine. */
export type WatchInput<T extends KubeObject> =
  | { readonly type: "start" }
  | { readonly type: "event"; readonly event: ObjectEvent<T> | Bookmark }
  /** An event about something that was not asked for. */
  | { readonly type: "strangeEvent"; readonly description: string }
  /** The stream is over: by itself, because it could not be opened, or because of what came on it. */
  | { readonly type: "streamEnded"; readonly failure?: WatchFailure }
  | {
      readonly type: "page";
      readonly items: readonly Snapshot<T>[];
      readonly resourceVersion: string;
      readonly continue: string;
    }
  | { readonly type: "listFailed"; readonly failure: WatchFailure }
  /** The sink threw, so that it may have missed something. */
  | { readonly type: "sinkFailed"; readonly failure: WatchFailure }
  /** Time has passed; see `dueAt`. */
  | { readonly type: "tick" }
  | { readonly type: "stop" };

/** What the machine wants done, in this order. */
export type WatchEffect<T extends KubeObject> =
  | {
      readonly type: "openStream";
      readonly resourceVersion: string;
      readonly sendInitialEvents: boolean;
      readonly timeoutSeconds: number;
    }
  | { readonly type: "requestPage"; readonly request: ListRequest }
  /** Ends the stream or the list that is under way. */
  | { readonly type: "abandon" }
  | { readonly type: "collect"; readonly event: ObjectEvent<T> }
  | { readonly type: "collectPage"; readonly items: readonly Snapshot<T>[] }
  /** Forgets what was collected. */
  | { readonly type: "discard" }
  /** Hands everything that was collected to the sink, in one step. */
  | { readonly type: "replace"; readonly resourceVersion: string }
  | { readonly type: "apply"; readonly event: ObjectEvent<T> }
  | { readonly type: "bookmark"; readonly resourceVersion: string }
  | { readonly type: "report"; readonly error: Error }
  | { readonly type: "warn"; readonly message: string };
