import type { RecordedRun } from "./recorded-run.ts";

/** The last runs of one key: a chain from the newest to the oldest, since most keys have few and an array has room for many. */
export class RunHistory {
  #newest: RecordedRun | undefined;
  #length = 0;

  /** One more run; what is older than the last `limit` goes. */
  add(run: RecordedRun, limit: number): void {
    run.previous = this.#newest;
    this.#newest = run;
    this.#length += 1;
    if (this.#length > limit) this.#cutAfter(limit);
  }

  *newestFirst(): Iterable<RecordedRun> {
    for (let run = this.#newest; run !== undefined; run = run.previous) yield run;
  }

  #cutAfter(count: number): void {
    let last = this.#newest;
    for (let seen = 1; seen < count; seen++) last = last?.previous;
    if (last !== undefined) last.previous = undefined;
    this.#length = count;
  }
}
