import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { ProgramLine, ProgramSettings } from "./program-lines.ts";

/** An operator in a process of its own. */
export class ProgramProcess {
  readonly lines: ProgramLine[] = [];
  readonly #process: ChildProcess;
  /** The exit code, or null if a signal ended it. */
  readonly exited: Promise<number | null>;

  constructor(settings: ProgramSettings) {
    const program = fileURLToPath(new URL("program.ts", import.meta.url));
    const args = ["--conditions=@keelson/source", program, JSON.stringify(settings)];
    this.#process = spawn(process.execPath, args, { stdio: ["pipe", "pipe", "inherit"] });
    this.exited = once(this.#process, "exit").then(([code]) => code);
    const { stdout } = this.#process;
    if (stdout === null) throw new Error("the program has no output");
    createInterface(stdout).on("line", (line) => this.lines.push(JSON.parse(line)));
  }

  of<Type extends ProgramLine["type"]>(type: Type): readonly Extract<ProgramLine, { type: Type }>[] {
    return this.lines.filter((line): line is Extract<ProgramLine, { type: Type }> => line.type === type);
  }

  signal(signal: NodeJS.Signals): void {
    this.#process.kill(signal);
  }

  /** Kills the process. */
  async kill(): Promise<void> {
    this.#process.kill("SIGKILL");
    await this.exited;
  }
}
