import { formatWorkload, type WorkloadRef } from "./workload-kind.ts";

/** Remembers which problems of workloads were reported, so that a reconcile does not report them again. */
export class ShownProblems {
  readonly #shown = new Map<string, Set<string>>();

  /** True once for each problem of a workload, until the workload is forgotten. */
  isNew(workload: WorkloadRef, problem: string): boolean {
    const key = formatWorkload(workload);
    const shown = this.#shown.get(key) ?? new Set();
    if (shown.has(problem)) return false;
    this.#shown.set(key, shown.add(problem));
    return true;
  }

  forget(workload: WorkloadRef): void {
    this.#shown.delete(formatWorkload(workload));
  }
}
