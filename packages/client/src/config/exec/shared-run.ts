import { abortable } from "@keelson/core";

interface Run<Value> {
  readonly result: Promise<Value>;
  /** Resolves when the run is over, however it ended. */
  readonly over: Promise<void>;
  readonly controller: AbortController;
  waiters: number;
}

/**
 * Work that is done at most once at a time: a caller that joins while it is under way shares its result. When the last of
 * the waiting callers leaves, the work is aborted, and the next caller starts it anew once it has ended.
 */
export class SharedRun<Value> {
  readonly #work: (signal: AbortSignal) => Promise<Value>;
  #current: Run<Value> | undefined;

  constructor(work: (signal: AbortSignal) => Promise<Value>) {
    this.#work = work;
  }

  async join(signal?: AbortSignal): Promise<Value> {
    signal?.throwIfAborted();
    while (this.#current?.controller.signal.aborted) await abortable(this.#current.over, signal);
    const run = this.#current ?? this.#start();
    run.waiters += 1;
    try {
      return await abortable(run.result, signal);
    } finally {
      run.waiters -= 1;
      if (run.waiters === 0) run.controller.abort(new Error("no caller waits for the result any more"));
    }
  }

  #start(): Run<Value> {
    const controller = new AbortController();
    const result = this.#work(controller.signal);
    const end = (): void => {
      this.#current = undefined;
    };
    const run = { result, over: result.then(end, end), controller, waiters: 0 };
    this.#current = run;
    return run;
  }
}
