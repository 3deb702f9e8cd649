import { closeSync, openSync } from "node:fs";
import { open } from "node:fs/promises";
import { abortable, errorCode, sleep, systemClock, toError } from "@keelson/core";
import type { BinaryName } from "../binaries/binaries.ts";
import { ComponentExitedError, ComponentNotReadyError } from "../errors.ts";
import {
  describeEnd,
  type GuardedProcess,
  type ProcessEnd,
  spawnGuarded,
} from "../process/guarded-process.ts";
import type { Guardian } from "../process/guardian.ts";

export type ComponentName = Exclude<BinaryName, "kubectl">;

const probeIntervalMs = 50;
const tailBytes = 16 * 1024;
const tailLines = 25;

export interface ComponentSpec {
  readonly name: ComponentName;
  readonly program: string;
  readonly args: readonly string[];
  readonly logFile: string;
  readonly readyTimeoutMs: number;
  /** True when the component is ready, otherwise its response; a rejection counts as such. */
  readonly probe: () => Promise<true | string>;
}

/**
 * One process of the control plane and its log, which goes on over restarts.
 *
 *     stopped ──start()──▶ running ──kill()──▶ stopped
 *                             └──it ends by itself──▶ stopped, and `onCrash` is called
 */
export class Component {
  readonly #spec: ComponentSpec;
  readonly #guardian: Guardian;
  readonly #onCrash: (error: ComponentExitedError) => void;
  /** Set until the process has ended. */
  #process: GuardedProcess | undefined;
  /** Whether it is to run; if not, its end is no crash. */
  #isWanted = false;

  constructor(spec: ComponentSpec, guardian: Guardian, onCrash: (error: ComponentExitedError) => void) {
    this.#spec = spec;
    this.#guardian = guardian;
    this.#onCrash = onCrash;
  }

  /** Starts the process, unless it runs, and returns when it is ready. */
  async start(signal: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted();
    this.#isWanted = true;
    this.#process ??= this.#spawn();
    await this.#untilReady(this.#process, signal);
  }

  /**
   * Ends the process and returns when it has ended. SIGKILL is a crash, SIGTERM lets it finish its requests; a second,
   * harder kill reaches the same process.
   */
  async kill(signal: "SIGKILL" | "SIGTERM" = "SIGKILL"): Promise<void> {
    this.#isWanted = false;
    await this.#process?.end(signal);
  }

  #spawn(): GuardedProcess {
    const { program, args, logFile } = this.#spec;
    const log = openSync(logFile, "a");
    const started = spawnGuarded(this.#guardian, program, args, { stdio: ["ignore", log, log] });
    closeSync(log);
    // An owner that has nothing left to do may end; the guardian then ends the component.
    started.child.unref();
    void started.ended.then(async (end) => {
      this.#process = undefined;
      if (this.#isWanted) this.#onCrash(await this.#exitedError(end));
    });
    return started;
  }

  async #untilReady(running: GuardedProcess, signal: AbortSignal | undefined): Promise<void> {
    const { name, readyTimeoutMs, logFile } = this.#spec;
    const deadline = Date.now() + readyTimeoutMs;
    const died = running.ended.then((end) => ({ end }));
    for (;;) {
      const outcome = await abortable(Promise.race([died, this.#probe()]), signal);
      if (outcome === true) return;
      if (typeof outcome === "object") throw await this.#exitedError(outcome.end);
      if (Date.now() > deadline) {
        throw new ComponentNotReadyError(name, readyTimeoutMs, outcome, await logTail(logFile));
      }
      await sleep(systemClock, probeIntervalMs, signal);
    }
  }

  async #probe(): Promise<true | string> {
    return this.#spec.probe().catch((error: unknown) => toError(error).message);
  }

  async #exitedError(end: ProcessEnd): Promise<ComponentExitedError> {
    return new ComponentExitedError(this.#spec.name, describeEnd(end), await logTail(this.#spec.logFile));
  }
}

/** The last lines of a log file, for an error message, or a note that there are none. */
export async function logTail(file: string): Promise<string> {
  try {
    await using handle = await open(file);
    const { size } = await handle.stat();
    const length = Math.min(size, tailBytes);
    const { buffer } = await handle.read(Buffer.alloc(length), 0, length, size - length);
    const lines = buffer.toString("utf8").trimEnd().split("\n").slice(-tailLines);
    return lines.join("\n") || "(the log is empty)";
  } catch (error) {
    // A control plane that is stopped deletes its logs.
    if (errorCode(error) === "ENOENT") return "(the log does not exist)";
    throw error;
  }
}
