import { type Clock, toError } from "@keelson/core";
import type { ResolvedContext } from "./context.ts";
import { certificateIntervalMs, type OnWarning, Rotating } from "./credentials.ts";
import { KubeconfigError, SettingProblem } from "./errors.ts";
import type { ReadFile } from "./files.ts";

export interface ContextScopeOptions {
  readonly clock: Clock;
  /** Where the kubeconfig came from; undefined if it was made in memory. */
  readonly file: string | undefined;
  readonly readFile: ReadFile;
  readonly onWarning: OnWarning;
}

/** A context of a kubeconfig and the means to follow what it names. */
export class ContextScope {
  readonly context: ResolvedContext;
  readonly clock: Clock;
  readonly onWarning: OnWarning;
  readonly #file: string | undefined;
  readonly #readFile: ReadFile;

  constructor(context: ResolvedContext, { clock, file, readFile, onWarning }: ContextScopeOptions) {
    this.context = context;
    this.clock = clock;
    this.onWarning = onWarning;
    this.#file = file;
    this.#readFile = readFile;
  }

  fail(problem: string, advice: string, cause?: unknown): KubeconfigError {
    const { contextName: context } = this.context;
    const where = this.#file === undefined ? {} : { file: this.#file };
    return new KubeconfigError({ ...where, context, problem, advice }, { cause });
  }

  /** Passes on what `make` gives; a problem with a setting becomes an error about this context. */
  explain<Value>(make: () => Value): Value {
    try {
      return make();
    } catch (error) {
      if (!(error instanceof SettingProblem)) throw error;
      throw this.fail(error.message, error.advice, error);
    }
  }

  /** Reads a file that a field of the kubeconfig names. */
  async read(field: string, path: string, signal: AbortSignal | undefined): Promise<string> {
    try {
      return await this.#readFile(path, signal);
    } catch (error) {
      signal?.throwIfAborted();
      throw this.fail(
        `${field} cannot be read (${toError(error).message})`,
        "make it a readable file",
        error,
      );
    }
  }

  rotatingCertificate<Value>(load: (signal: AbortSignal | undefined) => Promise<Value>): Rotating<Value> {
    const { clock, onWarning } = this;
    return new Rotating({ load, clock, intervalMs: certificateIntervalMs, onWarning });
  }

  warn(problem: string): void {
    this.onWarning(`use context ${this.context.contextName}: ${problem}`);
  }
}
