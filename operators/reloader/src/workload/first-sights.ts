import type { Clock } from "keelson";
import { isNewer, isResourceVersion } from "keelson/low-level";
import { formatRef, type ResourceRef } from "../resource/watched-resource.ts";
import { formatWorkload, type WorkloadRef } from "./workload-kind.ts";

/** By then a workload has its record. */
const keptMs = 60_000;

interface PastContent {
  /** Undefined if it was not watched. */
  readonly hash: string | undefined;
  readonly changedMs: number;
  /** The resource version of the change. */
  readonly version: string;
}

interface Sight {
  readonly seenMs: number;
  readonly version: string;
}

/**
 * Remembers for a minute when workloads were first seen, and which content resources had before they changed: a workload that
 * is seen right before a change, and adopted right after it, has pods with the content before. It is held in memory: of
 * what was created and changed while the operator did not run, only the content now is known.
 *
 * Two watches deliver their events in any order, so resource versions decide what came first. An API server with one
 * etcd counts them for all kinds together; where it does not, the content now is taken for that at the first sight.
 */
export class FirstSights {
  readonly #clock: Clock;
  /** When workloads were seen that were not adopted since, oldest first. */
  readonly #seen = new Map<string, Sight>();
  /** What resources were before each change, oldest first. */
  readonly #past = new Map<string, PastContent[]>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * An event was about a workload with this uid, or, without one, about a ReloaderConfig that names it. A workload that is
   * created again under the same name has other pods, and another uid.
   */
  workloadSeen(workload: WorkloadRef, uid: string | undefined, version: string): void {
    const seenMs = this.#clock.monotonicNow();
    this.#prune(seenMs);
    const key = keyOf(workload, uid);
    if (!this.#seen.has(key)) this.#seen.set(key, { seenMs, version });
  }

  /** The content of a resource changed from this hash, in this resource version. */
  resourceChanged(resource: ResourceRef, hash: string | undefined, version: string): void {
    const changedMs = this.#clock.monotonicNow();
    this.#prune(changedMs);
    const ref = formatRef(resource);
    const past = this.#past.get(ref) ?? [];
    // The key of the last change comes last, so that the oldest ones are found first.
    this.#past.delete(ref);
    this.#past.set(ref, [
      ...past.filter((each) => changedMs - each.changedMs < keptMs),
      { hash, changedMs, version },
    ]);
  }

  /** The hash that a resource had when the workload was first seen; undefined if it has not changed since. */
  hashAtFirstSight(workload: WorkloadRef, uid: string, ref: string): string | undefined {
    const sight = this.#seen.get(keyOf(workload, uid)) ?? this.#seen.get(keyOf(workload, undefined));
    if (sight === undefined) return undefined;
    return this.#past.get(ref)?.find(({ version }) => isLater(version, sight.version))?.hash;
  }

  /** The workload with this uid was adopted. */
  forget(workload: WorkloadRef, uid: string): void {
    this.#seen.delete(keyOf(workload, uid));
    this.#seen.delete(keyOf(workload, undefined));
  }

  #prune(nowMs: number): void {
    for (const [key, { seenMs }] of this.#seen) {
      if (nowMs - seenMs < keptMs) break;
      this.#seen.delete(key);
    }
    for (const [ref, past] of this.#past) {
      if (nowMs - (past.at(-1)?.changedMs ?? 0) < keptMs) break;
      this.#past.delete(ref);
    }
  }
}

function keyOf(workload: WorkloadRef, uid: string | undefined): string {
  return `${formatWorkload(workload)} ${uid ?? ""}`;
}

function isLater(version: string, other: string): boolean {
  return isResourceVersion(version) && isResourceVersion(other) && isNewer(version, other);
}
