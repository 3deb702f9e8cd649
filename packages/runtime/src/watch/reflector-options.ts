import type { Client, Selection } from "@keelson/client";
import type { Clock, KubeObject, Random, Resource } from "@keelson/core";
import type { WatchOutcome } from "./reflector-watches.ts";
import type { WatchSink } from "./watch-sink.ts";
import type { WatchState } from "./watch-state.ts";

export interface ReflectorOptions<T extends KubeObject> {
  readonly client: Client;
  /** May be `metadataOnly`. */
  readonly resource: Resource<T>;
  /** Default: all objects of the kind. */
  readonly selection?: Selection;
  readonly sink: WatchSink<T>;
  /** Told of every list and watch that failed, and why; the reflector goes on whatever this does [RF16]. */
  readonly onError?: (error: Error) => void;
  /** Told of what is odd and no failure: a sync that takes long [RF4], an event that was skipped [RF14]. */
  readonly onWarning?: (message: string) => void;
  /** Objects come with their managedFields. Default false: they are cut out before anything is parsed. */
  readonly keepManagedFields?: boolean;
  /**
   * Objects of watches are kept as text and parsed when they are first read, which takes a third less memory and, for
   * those that nobody reads, half of the time. Default true.
   */
  readonly parseOnRead?: boolean;
  /** A sync first tries a watch-list, and a list only if that is refused. Default true. */
  readonly useWatchList?: boolean;
  /** A watch lasts between so many seconds and twice as many. Default, and at least, 300. */
  readonly watchTimeoutSeconds?: number;
  /** How often the server sends bookmarks; three missing ones in a row mean a dead connection. Default 60 s. */
  readonly bookmarkIntervalMs?: number;
  /** For how long internal errors of the server do not make the reflector read everything again. Default 0. */
  readonly internalErrorGraceMs?: number;
  /** Default: the machine's. */
  readonly clock?: Clock;
  /** Default: the machine's. */
  readonly random?: Random;
}

/** How far a reflector is and how lately it heard of the server. Times are those of `Clock.now`. */
export interface Freshness {
  /** `watching` means that changes arrive; in every other phase the sink grows old. */
  readonly phase: WatchState["phase"];
  /** How far the sink is. Undefined until the first sync is complete. */
  readonly resourceVersion: string | undefined;
  readonly lastEventAtMs: number | undefined;
  readonly lastBookmarkAtMs: number | undefined;
  /** Bytes of watches. The pages of a list, which the client parses, are not counted. */
  readonly bytesReceived: number;
  /** How much later than it was written a recent event came; see EventLag. Undefined until one told. */
  readonly lastEventLagMs: number | undefined;
  /** How many lists were asked for, each counted once however many pages it has. */
  readonly lists: number;
  /** How many watches have ended, by how. */
  readonly watches: Readonly<Record<WatchOutcome, number>>;
}
