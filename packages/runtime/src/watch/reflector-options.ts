import type { Client, Selection } from "@keelson/client";
import type { Clock, KubeObject, Random, Resource } from "@keelson/core";
import type { ObjectEvent, Snapshot } from "./snapshot.ts";
import type { FailureKind } from "./watch-failure.ts";
import type { WatchListSupport } from "./watch-list-support.ts";
import type { WatchState } from "./watch-machine.ts";

/**
 * Where a reflector puts what it receives, such as a store. Its methods are called one after the other and finish their
 * work before they return. If one throws, the reflector reports the error and passes everything again by `replace`,
 * because the sink may have missed an event.
 */
export interface WatchSink<T extends KubeObject> {
  /**
   * An object of a sync has arrived, and will be among those of `replace`, unless it changes or the sync fails. A sink
   * that reads every object should read it now: to parse all at once in `replace` would block the event loop.
   */
  arrived?(snapshot: Snapshot<T>): void;
  /**
   * These are all objects that exist as of that version, by their `keyText`: every other object that the sink holds has
   * been deleted. The sink may keep the map.
   */
  replace(snapshots: Map<string, Snapshot<T>>, resourceVersion: string): void;
  /** One object has changed; its version is in its snapshot. ADDED may come for an object that is known [RF10]. */
  apply(event: ObjectEvent<T>): void;
  /** Nothing else has changed up to this version. */
  bookmark(resourceVersion: string): void;
}

export interface ReflectorOptions<T extends KubeObject> {
  readonly client: Client;
  /** May be `metadataOnly` or `projected`. */
  readonly resource: Resource<T>;
  /** Default: all objects of the kind. */
  readonly selection?: Selection;
  readonly sink: WatchSink<T>;
  /** Called with the error of every list and watch that failed; the reflector goes on whatever this does [RF16]. */
  readonly onError?: (error: Error) => void;
  /** Called with what is unusual but no failure: a sync that takes long [RF4], an event that was skipped [RF14]. */
  readonly onWarning?: (message: string) => void;
  /** Keeps the managedFields of objects. Default false: they are removed before an object is parsed. */
  readonly keepManagedFields?: boolean;
  /**
   * Objects of watches are kept as text and parsed when they are first read, which takes a third less memory and, for
   * objects that are never read, half of the time. Default true.
   */
  readonly parseOnRead?: boolean;
  /** A sync first tries a watch-list, and a list only if that is refused. Default true. */
  readonly useWatchList?: boolean;
  /** What the reflectors of the same server share. Default: not shared. */
  readonly watchListSupport?: WatchListSupport;
  /** A watch lasts between this many seconds and twice as many. Default, and at least, 300. */
  readonly watchTimeoutSeconds?: number;
  /** How often the server sends bookmarks; three missing ones in a row mean a dead connection. Default 60 s. */
  readonly bookmarkIntervalMs?: number;
  /** How long internal errors of the server do not make the reflector read everything again. Default 0. */
  readonly internalErrorGraceMs?: number;
  /** Default: the system clock. */
  readonly clock?: Clock;
  /** Default: the system's random numbers. */
  readonly random?: Random;
}

/** How a watch ended: `closed` by the server in time, `abandoned` by this side, or by a failure. */
export type WatchOutcome = "closed" | "abandoned" | FailureKind;

/** A count of ended watches for each outcome, all zero. */
export function noWatches(): Record<WatchOutcome, number> {
  return {
    closed: 0,
    abandoned: 0,
    expired: 0,
    versionTooLarge: 0,
    tooManyRequests: 0,
    internal: 0,
    unreachable: 0,
    timeout: 0,
    garbled: 0,
    other: 0,
  };
}

/** Which version a reflector has reached and when it last received data. Times are those of `Clock.now`. */
export interface Freshness {
  /**
   * `watching` means that changes arrive. In every other phase the sink becomes stale, except for `notServed`: the server
   * does not serve the kind, and it is one of `ifServed`.
   */
  readonly phase: WatchState["phase"] | "notServed";
  /** The version that the sink has reached. Undefined until the first sync is complete. */
  readonly resourceVersion: string | undefined;
  readonly lastEventAtMs: number | undefined;
  readonly lastBookmarkAtMs: number | undefined;
  /** Bytes of watches. The pages of a list, which the client parses, are not counted. */
  readonly bytesReceived: number;
  /** How much later than it was written a recent event came; see EventLag. Undefined until it is known. */
  readonly lastEventLagMs: number | undefined;
  /** How many lists were requested, each counted once however many pages it has. */
  readonly lists: number;
  /** How many watches have ended, by outcome. */
  readonly watches: Readonly<Record<WatchOutcome, number>>;
}
