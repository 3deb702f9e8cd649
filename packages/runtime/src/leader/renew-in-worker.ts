import { Worker } from "node:worker_threads";
import type { Clock } from "@keelson/core";
import type { ElectionDriver } from "./election-driver.ts";
import type { ElectionEnd, Report } from "./election-report.ts";
import type { ElectionRules } from "./election-rules.ts";
import { RenewWorkerError } from "./errors.ts";
import type { LeaseTerm } from "./lease-term.ts";
import type {
  MessageFromWorker,
  MessageToWorker,
  RenewWorkerData,
  WorkerConnectOptions,
} from "./renew-messages.ts";

export interface WorkerDriverOptions {
  readonly connect: WorkerConnectOptions;
  readonly clock: Clock;
  readonly rules: ElectionRules;
  readonly term: LeaseTerm;
  readonly onWarning: (message: string) => void;
}

/**
 * Runs the loop in a thread of its own, with connections of its own [LE12]: whatever keeps this thread busy, the lease is
 * renewed. The worker is kept after `run` for the release, until `close`; it does not keep the process alive then.
 */
export function workerDriver(options: WorkerDriverOptions): ElectionDriver {
  let thread: RenewThread | undefined;
  return {
    run: async (report, signal) => {
      if (signal.aborted) return { type: "cancelled" };
      thread = new RenewThread(options, report);
      return thread.run(signal);
    },
    release: async () => (await thread?.release()) ?? false,
    close: async () => thread?.close(),
  };
}

class RenewThread {
  readonly #options: WorkerDriverOptions;
  readonly #report: Report;
  readonly #worker: Worker;
  readonly #ended = Promise.withResolvers<ElectionEnd>();
  readonly #released = Promise.withResolvers<boolean>();

  constructor(options: WorkerDriverOptions, report: Report) {
    this.#options = options;
    this.#report = report;
    this.#worker = startWorker(options);
    // Whoever does not wait for one of them must not be told by an unhandled rejection.
    this.#ended.promise.catch(() => undefined);
    this.#released.promise.catch(() => undefined);
    this.#worker.on("message", (message: MessageFromWorker) => this.#receive(message));
    this.#worker.on("error", (error) => this.#fail(`it failed: ${error.message}`, { cause: error }));
    this.#worker.on("exit", (code) => this.#fail(`it ended with code ${code}`));
  }

  async run(signal: AbortSignal): Promise<ElectionEnd> {
    const cancel = (): void => this.#post({ type: "cancel" });
    signal.addEventListener("abort", cancel, { once: true });
    try {
      return await this.#ended.promise;
    } finally {
      signal.removeEventListener("abort", cancel);
      this.#worker.unref();
    }
  }

  async release(): Promise<boolean> {
    this.#worker.ref();
    this.#post({ type: "release" });
    return this.#released.promise;
  }

  async close(): Promise<void> {
    await this.#worker.terminate();
  }

  #receive(message: MessageFromWorker): void {
    switch (message.type) {
      case "ready":
        this.#post({ type: "start", nowMs: this.#options.clock.monotonicNow() });
        break;
      case "report":
        this.#report(message.report);
        break;
      case "ended":
        this.#ended.resolve(message.end);
        break;
      case "released":
        this.#released.resolve(message.isReleased);
        break;
      case "warning":
        this.#options.onWarning(message.message);
        break;
    }
  }

  #fail(problem: string, options?: ErrorOptions): void {
    const error = new RenewWorkerError(problem, options);
    this.#ended.reject(error);
    this.#released.reject(error);
  }

  #post(message: MessageToWorker): void {
    this.#worker.postMessage(message);
  }
}

const sourceCondition = "--conditions=@keelson/source";

/** From sources as from a build: the worker's program is the file beside this one. */
function startWorker({ rules, connect, term }: WorkerDriverOptions): Worker {
  const isSource = import.meta.url.endsWith(".ts");
  const data: RenewWorkerData = { rules, connect, termMemory: term.memory };
  // Sources import the sources of other packages; a program that was not started so, such as a test, must say it here.
  const mustSay = isSource && !process.execArgv.includes(sourceCondition);
  return new Worker(new URL(isSource ? "./renew-worker.ts" : "./renew-worker.js", import.meta.url), {
    workerData: data,
    name: "lease",
    ...(mustSay && { execArgv: [sourceCondition] }),
  });
}
