import type { ChildProcess } from "node:child_process";
import { errorCode } from "@keelson/core";
import type { Command, CommandEnd, CommandResult } from "../config/exec/command.ts";

/** Far more than any credential needs. */
const maxStdoutBytes = 1024 * 1024;
/** How much of the end of standard error is kept. */
const keptStderrChars = 4_096;

/**
 * Runs a command to its end. Without a terminal it leads a process group of its own, so that an abort also ends what
 * it has started; with one it must stay in ours, or it could not read from it.
 */
export async function runCommand(command: Command): Promise<CommandResult> {
  const { args, env, inputFd, onStderr, signal } = command;
  // Loaded when it is needed: few kubeconfigs have commands.
  const { spawn } = await import("node:child_process");
  if (signal.aborted) return { end: { kind: "killed", signal: "SIGKILL" }, stdout: "", stderr: "" };
  const leadsGroup = inputFd === undefined && process.platform !== "win32";
  const child = spawn(command.command, args, {
    env,
    stdio: [inputFd ?? "ignore", "pipe", "pipe"],
    detached: leadsGroup,
    windowsHide: true,
  });
  const { promise, resolve } = Promise.withResolvers<CommandEnd>();
  const kill = (): void => killAll(child, leadsGroup);
  const stdout: Buffer[] = [];
  let stdoutBytes = 0;
  let stderr = "";
  child.stdout?.on("data", (chunk: Buffer) => {
    stdoutBytes += chunk.length;
    if (stdoutBytes <= maxStdoutBytes) stdout.push(chunk);
    else kill();
  });
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    stderr = tail(stderr + text);
    onStderr?.(text);
  });
  child.once("error", (error) => resolve({ kind: "not-started", code: errorCode(error) ?? error.name }));
  // With a terminal only the command itself is killed; a child of it may hold on to the pipes.
  child.once("exit", () => signal.aborted && closePipes(child));
  child.once("close", (code, killedBy) => {
    if (stdoutBytes > maxStdoutBytes) resolve({ kind: "too-much-output", limitBytes: maxStdoutBytes });
    else
      resolve(killedBy === null ? { kind: "exit", code: code ?? 0 } : { kind: "killed", signal: killedBy });
  });
  signal.addEventListener("abort", kill, { once: true });
  const end = await promise;
  signal.removeEventListener("abort", kill);
  return { end, stdout: Buffer.concat(stdout).toString("utf8"), stderr };
}

/** Cut between words, so that no part of a secret stays that would not be recognised as one. */
function tail(text: string): string {
  return text.length <= keptStderrChars ? text : text.slice(-keptStderrChars).replace(/^\S*/, "");
}

function closePipes({ stdout, stderr }: ChildProcess): void {
  stdout?.destroy();
  stderr?.destroy();
}

/** A command that ignores a polite signal would keep its successor from starting, so it gets the other kind. */
function killAll(child: ChildProcess, leadsGroup: boolean): void {
  if (child.pid === undefined) return;
  if (!leadsGroup) {
    child.kill("SIGKILL");
    return;
  }
  try {
    process.kill(-child.pid, "SIGKILL");
  } catch (error) {
    // All of the group has ended by itself.
    if (errorCode(error) !== "ESRCH") throw error;
  }
}
