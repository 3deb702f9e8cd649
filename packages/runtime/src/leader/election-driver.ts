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
  /** After `run`: gives the lease up if it is held; true if so. */
  release(): Promise<boolean>;
  /** Lets go of everything, and keeps the lease. May be called more than once. */
  close(): Promise<void>;
}

/**
 * How the worker finds the API server: it connects by itself, so that no credential is copied into its start data. Its
 * environment is a copy of the process's.
 */
export type WorkerConnectOptions = Pick<ConnectOptions, "kubeconfigPath" | "contextName" | "userAgent">;

/** What the worker gets when it is made. */
export interface RenewWorkerData {
  readonly rules: ElectionRules;
  readonly connect: WorkerConnectOptions;
  /** Of the LeaseTerm of the thread that made it. */
  readonly termMemory: SharedArrayBuffer;
}

export type MessageToWorker =
  /** `nowMs`: the sender's monotonic time. It is past when it arrives, so who takes it for now is early, never late. */
  | { readonly type: "start"; readonly nowMs: number }
  | { readonly type: "cancel" }
  | { readonly type: "release" };

export type MessageFromWorker =
  /** It is connected and waits for `start`. */
  | { readonly type: "ready" }
  | { readonly type: "report"; readonly report: ElectionReport }
  | { readonly type: "ended"; readonly end: ElectionEnd }
  | { readonly type: "released"; readonly isReleased: boolean }
  /** What people should know about the connection. */
  | { readonly type: "warning"; readonly message: string };

export interface ThreadDriverOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly rules: ElectionRules;
  readonly term: LeaseTerm;
}

/** Runs the loop among everything else that this thread does: a reconcile that computes for 10 s costs the lease. */
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
