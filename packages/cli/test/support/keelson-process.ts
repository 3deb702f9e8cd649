import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { isRecord } from "keelson/low-level";

const main = fileURLToPath(new URL("../../src/main.ts", import.meta.url));
const folder = fileURLToPath(new URL(".", import.meta.url));

export interface LogEntry {
  readonly msg: string;
  readonly level: string;
  readonly [field: string]: unknown;
}

/** The `keelson` command as a process, in the folder of the operators that tests run. */
export class KeelsonProcess {
  readonly startedMs: number = performance.now();
  stdout = "";
  stderr = "";
  /** The exit code, or null if a signal ended it; all output has been read. */
  readonly exited: Promise<number | null>;
  readonly #process: ChildProcess;

  constructor(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
    this.#process = spawn(process.execPath, ["--conditions=@keelson/source", main, ...args], {
      stdio: ["ignore", "pipe", "pipe"],
      cwd: folder,
      env: { ...process.env, NO_COLOR: "1", KUBECONFIG: "/nowhere", ...env },
    });
    this.exited = once(this.#process, "close").then(([code]) => code);
    this.#process.stdout?.setEncoding("utf8").on("data", (text: string) => {
      this.stdout += text;
    });
    this.#process.stderr?.setEncoding("utf8").on("data", (text: string) => {
      this.stderr += text;
    });
  }

  /** What it has logged. */
  get log(): readonly LogEntry[] {
    return this.stdout
      .split("\n")
      .slice(0, -1)
      .map((line): LogEntry => JSON.parse(line));
  }

  /** The port that it has opened, once it has. */
  portOf(server: "metrics" | "health"): number | undefined {
    const entry = this.log.find(({ msg, ...fields }) => msg === "listening" && fields.server === server);
    return isRecord(entry) && typeof entry.port === "number" ? entry.port : undefined;
  }

  /** The status that it responds with; 0 as long as it does not listen. */
  async statusOf(server: "metrics" | "health", path: string): Promise<number> {
    const port = this.portOf(server);
    return port === undefined ? 0 : (await fetch(`http://127.0.0.1:${port}${path}`)).status;
  }

  /** Closes the pipe of its output, as a reader that ends does. */
  closeStdout(): void {
    this.#process.stdout?.destroy();
  }

  signal(name: NodeJS.Signals): void {
    this.#process.kill(name);
  }

  /** Ends it, whatever it does. */
  async kill(): Promise<void> {
    this.#process.kill("SIGKILL");
    await this.exited;
  }
}
