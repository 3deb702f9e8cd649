import { formatTime } from "keelson";
import type { Pod, PodStatus } from "keelson/kinds/core/v1";

/** How long things take on a hollow node. */
export interface PodTiming {
  /** From when the node sees the pod until its containers may start. */
  readonly startDelayMs: number;
  /** How long an init container runs. */
  readonly initRunMs: number;
  /** From the start of a container until it is ready. */
  readonly readyDelayMs: number;
  /** How long containers run that are meant to end: those of pods that are not restarted always. */
  readonly runMs: number;
  /** How long containers take to stop once they get the signal; a pod's grace period may be shorter. */
  readonly terminationDelayMs: number;
  /** How long a container that failed for the second time waits; doubled each time, up to 5 min. */
  readonly restartBackoffMs: number;
}

/** All that decides what becomes of a pod. */
export interface PodSituation {
  readonly pod: Pod;
  readonly node: {
    readonly address: string;
    /** A node that reports that it is not ready starts nothing; it still ends what is deleted. */
    readonly isReady: boolean;
  };
  readonly timing: PodTiming;
  readonly canPull: (image: string) => boolean;
  /** The address of the pod, unless it has one. */
  readonly podIP: string;
  readonly nowMs: number;
  /** When this program last wrote the pod's status; undefined if it has not. */
  readonly changedAtMs?: number;
}

/** What is to be done with a pod. */
export interface PodDecision {
  /** The status that it is to have; undefined: the one that it has. */
  readonly status?: PodStatus;
  /** Its containers have stopped: it may go. After the status is written. */
  readonly isReadyToGo?: boolean;
  /** When to look again, if nothing happens. */
  readonly againInMs?: number;
}

/**
 * About how long ago something in the pod's status happened. Times in a status are whole seconds; when it wrote last,
 * this program knows better, and takes that for the time of everything in that second. So a delay is up to a second
 * longer if more is written, and up to a second shorter after a restart of the program.
 */
export function elapsedSince(
  time: string,
  { nowMs, changedAtMs }: Pick<PodSituation, "nowMs" | "changedAtMs">,
): number {
  const isOurs = changedAtMs !== undefined && formatTime(changedAtMs) === time;
  return Math.max(0, nowMs - (isOurs ? changedAtMs : Date.parse(time)));
}

/** The sooner of two delays, either of which may be none. */
export function sooner(first: number | undefined, second: number | undefined): number | undefined {
  if (first === undefined || second === undefined) return first ?? second;
  return Math.min(first, second);
}
