import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { ReplicaLine, ReplicaSettings } from "./replica-lines.ts";

/** A replica in a process of its own. */
export class ReplicaProcess {
  readonly identity: string;
  readonly lines: ReplicaLine[] = [];
  readonly #process: ChildProcess;
  readonly #ended: Promise<unknown>;

  /** Compiled modules are cached in the folder, so that only the first replica has to strip types. */
  constructor(settings: ReplicaSettings, compileCache: string) {
    this.identity = settings.identity;
    const program = fileURLToPath(new URL("replica.ts", import.meta.url));
    const args = ["--conditions=@keelson/source", program, JSON.stringify(settings)];
    const env = { ...process.env, NODE_COMPILE_CACHE: compileCache };
    this.#process = spawn(process.execPath, args, { env, stdio: ["pipe", "pipe", "inherit"] });
    this.#ended = once(this.#process, "exit");
    const { stdout } = this.#process;
    if (stdout === null) throw new Error("a replica has no output");
    createInterface(stdout).on("line", (line) => this.lines.push(JSON.parse(line)));
  }

  has(type: ReplicaLine["type"]): boolean {
    return this.lines.some((line) => line.type === type);
  }

  signal(signal: NodeJS.Signals): void {
    this.#process.kill(signal);
  }

  get exitCode(): number | null {
    return this.#process.exitCode;
  }

  /** Kills the process. */
  async kill(): Promise<void> {
    this.#process.kill("SIGKILL");
    await this.#ended;
  }
}
