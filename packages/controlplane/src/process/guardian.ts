import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { rm } from "node:fs/promises";

/**
 * Ends the processes of its owner and removes its files when the owner has ended, for whatever reason: a normal
 * exit, an exception, SIGKILL. It notices because the pipe between them closes, so no signal handler is needed in
 * the owner. A shell, because it costs a megabyte where another Node would cost forty, and runs everywhere we run.
 *
 *     owner ──"watch PID"──▶ guardian          owner dies ──▶ end of input ──▶ kill groups, remove files, exit
 */
const script = `
trap '' INT TERM HUP
groups=
while read -r verb group; do
  case $verb in
    watch) groups="$groups $group" ;;
    forget)
      kept=
      for other in $groups; do [ "$other" = "$group" ] || kept="$kept $other"; done
      groups=$kept ;;
  esac
done
for group in $groups; do kill -s KILL -- "-$group" 2>/dev/null; done
attempts=0
until rm -rf -- "$@" 2>/dev/null || [ $attempts -ge 50 ]; do attempts=$((attempts + 1)); sleep 0.1; done
`;

/** Watches over process groups and files. Nothing here keeps the owner's event loop alive. */
export class Guardian {
  readonly #shell: ChildProcess;
  readonly #exited: Promise<unknown>;
  readonly #paths: readonly string[];

  /** The files and folders are removed when the owner has ended or `dismiss` is called. */
  constructor(...paths: readonly string[]) {
    this.#paths = paths;
    // A session of its own: Ctrl-C in the owner's terminal must not end the guardian before its work.
    this.#shell = spawn("sh", ["-c", script, "guardian", ...paths], {
      cwd: "/",
      detached: true,
      stdio: ["pipe", "ignore", "ignore"],
    });
    this.#exited = once(this.#shell, "exit");
    // A pipe that broke means that the guardian was killed; the owner still stops its processes itself.
    this.#shell.stdin?.on("error", () => undefined);
    this.#shell.unref();
    unrefPipe(this.#shell);
  }

  /** From now on the process group dies with the owner. */
  watch(processGroup: number): void {
    this.#shell.stdin?.write(`watch ${processGroup}\n`);
  }

  /** The group has ended; its number may soon belong to another group. */
  forget(processGroup: number): void {
    this.#shell.stdin?.write(`forget ${processGroup}\n`);
  }

  /** Ends what is still watched, removes the files, and returns when that is done. */
  async dismiss(): Promise<void> {
    this.#shell.ref();
    this.#shell.stdin?.end();
    await this.#exited;
    // It has done so itself, unless it was killed.
    await Promise.all(this.#paths.map((path) => rm(path, { recursive: true, force: true })));
  }
}

function unrefPipe(child: ChildProcess): void {
  const pipe: unknown = child.stdin;
  if (typeof pipe === "object" && pipe !== null && "unref" in pipe && typeof pipe.unref === "function")
    pipe.unref();
}
