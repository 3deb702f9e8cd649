import { type ChildProcess, spawn } from "node:child_process";
import type { Clock } from "keelson";
import { errorCode } from "keelson/low-level";

/** A program to run, without a shell. */
export interface Program {
  readonly executable: string;
  readonly args: readonly string[];
  /** The whole environment; nothing is inherited. */
  readonly env: Readonly<Record<string, string>>;
  readonly folder: string;
  /** Standard input. Default: there is none. */
  readonly input?: string | undefined;
  /** How much standard output is kept; a program that writes more is ended. 0: it is not looked at. */
  readonly maxOutputBytes: number;
}

/** How a program ended. */
export type ProgramEnd =
  | { readonly kind: "exit"; readonly code: number }
  | { readonly kind: "killed"; readonly signal: string }
  | { readonly kind: "too-much-output" }
  /** `code` is a system error's, such as `ENOENT`. */
  | { readonly kind: "not-started"; readonly code: string };

export interface ProgramResult {
  readonly end: ProgramEnd;
  readonly stdout: string;
  /** The end of it, if it was long. */
  readonly stderr: string;
}

const keptStderrChars = 8_192;
/** Helm needs far less to record that it was stopped, and another replica may lead soon. */
const politeMs = 5_000;

/**
 * Runs a program to its end. When the signal aborts, it and what it has started are asked to end, and killed if they do not.
 * Resolves when the process has ended, however it did; an abort shows in that, too.
 */
export async function runProgram(
  program: Program,
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
): Promise<ProgramResult> {
  if (signal.aborted) return { end: { kind: "killed", signal: "SIGTERM" }, stdout: "", stderr: "" };
  const { executable, args, env, folder, input, maxOutputBytes } = program;
  const child = spawn(executable, args, {
    cwd: folder,
    env,
    stdio: [input === undefined ? "ignore" : "pipe", maxOutputBytes > 0 ? "pipe" : "ignore", "pipe"],
    // A process group of its own: a Ctrl-C reaches only us, and an abort also ends what it has started.
    detached: true,
  });
  const output = new BoundedOutput(child, maxOutputBytes, () => killGroup(child, "SIGKILL"));
  // It may end before it has read its input; how it ends decides.
  child.stdin?.on("error", () => undefined);
  child.stdin?.end(input);
  let cancelKill = (): void => undefined;
  const stop = (): void => {
    killGroup(child, "SIGTERM");
    cancelKill = clock.schedule(politeMs, () => killGroup(child, "SIGKILL"));
  };
  signal.addEventListener("abort", stop, { once: true });
  running.add(child);
  try {
    const end = await endOf(child, signal);
    return { end: output.isTooLong ? { kind: "too-much-output" } : end, ...output.texts };
  } finally {
    cancelKill();
    signal.removeEventListener("abort", stop);
    running.delete(child);
  }
}

/** Must not outlive a process that ends without waiting for them. */
class RunningPrograms {
  readonly #children = new Set<ChildProcess>();
  readonly #endAll = (): void => {
    for (const child of this.#children) killGroup(child, "SIGTERM");
  };

  add(child: ChildProcess): void {
    if (this.#children.size === 0) process.once("exit", this.#endAll);
    this.#children.add(child);
  }

  delete(child: ChildProcess): void {
    this.#children.delete(child);
    if (this.#children.size === 0) process.removeListener("exit", this.#endAll);
  }
}

const running: RunningPrograms = new RunningPrograms();

function endOf(child: ChildProcess, signal: AbortSignal): Promise<ProgramEnd> {
  const { promise, resolve } = Promise.withResolvers<ProgramEnd>();
  child.once("error", (error) => resolve({ kind: "not-started", code: errorCode(error) ?? error.name }));
  child.once("exit", () => {
    if (!signal.aborted) return;
    // What it has started may ignore the signal, and hold on to the pipes.
    killGroup(child, "SIGKILL");
    child.stdout?.destroy();
    child.stderr?.destroy();
  });
  child.once("close", (code, killedBy) =>
    resolve(killedBy === null ? { kind: "exit", code: code ?? 0 } : { kind: "killed", signal: killedBy }),
  );
  return promise;
}

/** What a process writes: the beginning of its standard output, and the end of its standard error. */
class BoundedOutput {
  readonly #chunks: Buffer[] = [];
  readonly #maxBytes: number;
  #bytes = 0;
  #stderr = "";

  constructor(child: ChildProcess, maxBytes: number, onTooLong: () => void) {
    this.#maxBytes = maxBytes;
    child.stdout?.on("data", (chunk: Buffer) => {
      this.#bytes += chunk.length;
      if (this.isTooLong) onTooLong();
      else this.#chunks.push(chunk);
    });
    child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      this.#stderr = endOfText(this.#stderr + text);
    });
  }

  get isTooLong(): boolean {
    return this.#bytes > this.#maxBytes;
  }

  get texts(): Pick<ProgramResult, "stdout" | "stderr"> {
    return { stdout: Buffer.concat(this.#chunks).toString("utf8"), stderr: this.#stderr };
  }
}

/** Cut between words, so that no part of a secret stays that would not be recognised as one. */
function endOfText(text: string): string {
  return text.length <= keptStderrChars ? text : text.slice(-keptStderrChars).replace(/^\S*/, "");
}

function killGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch (error) {
    // All of the group has ended by itself.
    if (errorCode(error) !== "ESRCH") throw error;
  }
}
