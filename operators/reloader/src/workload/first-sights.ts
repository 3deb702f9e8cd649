import type { Clock } from "keelson";
import { formatRef, type ResourceRef } from "../resource/watched-resource.ts";
import { formatWorkload, type WorkloadRef } from "./workload-kind.ts";

/** By then a workload has its record. */
const keptMs = 60_000;

interface PastContent {
  /** Undefined if it was not watched. */
  readonly hash: string | undefined;
  readonly changedMs: number;
}

/**
 * Remembers for a minute when workloads were first seen, and which content resources had before they changed: a workload that
 * is seen right before a change, and adopted right after it, has pods with the content before. It is held in memory: of
 * what was created and changed while the operator did not run, only the content now is known.
 */
export class FirstSights {
  readonly #clock: Clock;
  /** When workloads were seen that were not adopted since, oldest first. */
  readonly #seen = new Map<string, number>();
  /** What resources were before each change, oldest first. */
  readonly #past = new Map<string, PastContent[]>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** An event was about a workload, or about a ReloaderConfig that names it. */
  workloadSeen(workload: WorkloadRef): void {
    const nowMs = this.#clock.monotonicNow();
    this.#prune(nowMs);
    const key = formatWorkload(workload);
    if (!this.#seen.has(key)) this.#seen.set(key, nowMs);
  }

  /** The content of a resource changed from this hash. */
  resourceChanged(resource: ResourceRef, hash: string | undefined): void {
    const changedMs = this.#clock.monotonicNow();
    this.#prune(changedMs);
    const ref = formatRef(resource);
    const past = this.#past.get(ref) ?? [];
    // The key of the last change comes last, so that the oldest ones are found first.
    this.#past.delete(ref);
    this.#past.set(ref, [...past.filter((each) => changedMs - each.changedMs < keptMs), { hash, changedMs }]);
  }

  /** The hash that a resource had when the workload was first seen; undefined if it has not changed since. */
  hashAtFirstSight(workload: WorkloadRef, ref: string): string | undefined {
    const seenMs = this.#seen.get(formatWorkload(workload));
    if (seenMs === undefined) return undefined;
    return this.#past.get(ref)?.find(({ changedMs }) => changedMs >= seenMs)?.hash;
  }

  /** The workload was adopted, or deleted. */
  forget(workload: WorkloadRef): void {
    this.#seen.delete(formatWorkload(workload));
  }

  #prune(nowMs: number): void {
    for (const [key, seenMs] of this.#seen) {
      if (nowMs - seenMs < keptMs) break;
      this.#seen.delete(key);
    }
    for (const [ref, past] of this.#past) {
      if (nowMs - (past.at(-1)?.changedMs ?? 0) < keptMs) break;
      this.#past.delete(ref);
    }
  }
}
