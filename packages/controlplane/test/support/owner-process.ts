import { type ChildProcessByStdio, spawn } from "node:child_process";
import type { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";

/** Runs a program of this folder in a process of its own, which does not outlive the test. */
export function startOwner(
  program: "find-then-wait.ts" | "guarded-owner.ts" | "kubectl-then-end.ts" | "start-then-wait.ts",
  args: readonly string[] = [],
  env: NodeJS.ProcessEnv = process.env,
): ChildProcessByStdio<null, Readable, null> {
  const file = fileURLToPath(new URL(program, import.meta.url));
  const owner = spawn(process.execPath, ["--conditions=@keelson/source", file, ...args], {
    env,
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void owner.kill("SIGKILL"));
  return owner;
}
