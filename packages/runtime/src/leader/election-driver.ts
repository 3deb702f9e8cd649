import { Worker } from "node:worker_threads";
import type { Client, ConnectOptions } from "@keelson/client";
import type { Clock, Random } from "@keelson/core";
import { type ElectionEnd, ElectionLoop, type ElectionReport, type Report } from "./election-loop.ts";
import type { ElectionRules } from "./election-rules.ts";
import { RenewWorkerError } from "./errors.ts";
import type { LeaseTerm } from "./lease-term.ts";

/** Where an election loop runs: in this thread, or in one of its own. */
export interface ElectionDriver {
  run(report: Report, signal: AbortSignal): Promise<ElectionEnd>;
  /** After `run`: releases the Lease if this replica holds it, and returns whether it did. */
  release(): Promise<boolean>;
  /** Closes threads and connections, and does not release the Lease. May be called more than once. */
  close(): Promise<void>;
}

/**
 * How the worker connects to the API server. It does so itself, so that no credential is copied into its start data; it
 * has a copy of the environment of the process.
 */
export type WorkerConnectOptions = Pick<ConnectOptions, "kubeconfigPath" | "contextName" | "userAgent">;

/** The start data of the worker. */
export interface RenewWorkerData {
  readonly rules: ElectionRules;
  readonly connect: WorkerConnectOptions;
  /** The memory of the LeaseTerm of the parent thread. */
  readonly termMemory: SharedArrayBuffer;
}

/** A message from the parent thread to the worker. */
export type MessageToWorker =
  /** `nowMs`: the monotonic time of the sender. It is past when it arrives, so the clock of the worker is never ahead. */
  | { readonly type: "start"; readonly nowMs: number }
  | { readonly type: "cancel" }
  | { readonly type: "release" };

/** A message from the worker to its parent thread. */
export type MessageFromWorker =
  /** The worker is connected and waits for `start`. */
  | { readonly type: "ready" }
  | { readonly type: "report"; readonly report: ElectionReport }
  | { readonly type: "ended"; readonly end: ElectionEnd }
  | { readonly type: "released"; readonly isReleased: boolean }
  /** A warning about the connection, for the log. */
  | { readonly type: "warning"; readonly message: string };

/** What an election in this thread works with. */
export interface ThreadDriverOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly rules: ElectionRules;
  readonly term: LeaseTerm;
}

/** Runs the loop in this thread: a reconcile that blocks the event loop for 10 s costs the Lease. */
export function threadDriver(options: ThreadDriverOptions): ElectionDriver {
  let loop: ElectionLoop | undefined;
  return {
    run: (report, signal) => {
      loop = new ElectionLoop({ ...options, report });
      return loop.run(signal);
    },
    release: async () => (await loop?.release()) ?? false,
    close: async () => undefined,
  };
}

/** What an election in a worker thread works with. */
export interface WorkerDriverOptions {
  readonly connect: WorkerConnectOptions;
  readonly clock: Clock;
  readonly rules: ElectionRules;
  readonly term: LeaseTerm;
  readonly onWarning: (message: string) => void;
}

/**
 * Runs the loop in a thread of its own, with connections of its own [LE12], so that it renews the Lease however busy this
 * thread is. After `run` the worker stays for the release, until `close`, but does not keep the process alive.
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
    // A promise that is not awaited must not become an unhandled rejection.
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

/** The program of the worker is the file beside this one, in the sources as in a build. */
function startWorker({ rules, connect, term }: WorkerDriverOptions): Worker {
  const isSource = import.meta.url.endsWith(".ts");
  const data: RenewWorkerData = { rules, connect, termMemory: term.memory };
  // Sources import the sources of other packages; a process without this condition, such as a test, passes it here.
  const needsCondition = isSource && !process.execArgv.includes(sourceCondition);
  return new Worker(new URL(isSource ? "./renew-worker.ts" : "./renew-worker.js", import.meta.url), {
    workerData: data,
    name: "lease",
    ...(needsCondition && { execArgv: [sourceCondition] }),
  });
}
