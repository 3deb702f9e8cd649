import { formatWorkload, type WorkloadRef } from "../workload/workload-kind.ts";

/**
 * Collects the changes of a workload for a short time, so that resources which change together cause one reload. It is held in
 * memory only: after a restart of the operator the time begins again.
 */
export class Coalescing {
  readonly #windowMs: number;
  /** When the first change was seen that has not been rolled out. */
  readonly #firstMs = new Map<string, number>();

  constructor(windowMs: number) {
    this.#windowMs = windowMs;
  }

  /** Notes that a workload has changes, and returns when those are due. */
  dueAt(workload: WorkloadRef, nowMs: number): number {
    const key = formatWorkload(workload);
    const firstMs = this.#firstMs.get(key);
    if (firstMs !== undefined && firstMs <= nowMs) return firstMs + this.#windowMs;
    this.#firstMs.set(key, nowMs);
    return nowMs + this.#windowMs;
  }

  /** When the first of the changes was seen; undefined if the workload has none. */
  seenAt(workload: WorkloadRef): number | undefined {
    return this.#firstMs.get(formatWorkload(workload));
  }

  /** The workload has no changes any more: they were rolled out or undone, or it was deleted. */
  forget(workload: WorkloadRef): void {
    this.#firstMs.delete(formatWorkload(workload));
  }
}
