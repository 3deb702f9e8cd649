import { open, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { tempFolder } from "../../test/support/temp-folder.ts";
import type { Command } from "../config/exec/command.ts";
import { runCommand } from "./run-command.ts";

const env = { PATH: process.env.PATH ?? "" };

function sh(script: string, more: Partial<Command> = {}): Command {
  return { command: "sh", args: ["-c", script], env, signal: new AbortController().signal, ...more };
}

/** A process that has ended and was not reaped does not run. */
async function isRunning(pid: string): Promise<boolean> {
  const { stdout: state } = await runCommand(sh(`ps -o stat= -p ${pid}`));
  return state !== "" && !state.startsWith("Z");
}

describe("running a command", () => {
  it("gives what it printed and how it ended", async () => {
    expect(await runCommand(sh("echo out; echo err >&2; exit 3"))).toEqual({
      end: { kind: "exit", code: 3 },
      stdout: "out\n",
      stderr: "err\n",
    });
    expect((await runCommand(sh("kill -TERM $$"))).end).toEqual({ kind: "killed", signal: "SIGTERM" });
  });

  it("passes the arguments as they are, the given environment and nothing else", async () => {
    const result = await runCommand({
      ...sh(""),
      args: [
        "-c",
        'printf "%s|" "$@"; env | cut -d= -f1 | grep -v -e PWD -e SHLVL -e "^_$" | sort',
        "sh",
        "a b",
        "$HOME",
      ],
      env: { ...env, EXTRA: "1" },
    });
    expect(result.stdout).toBe("a b|$HOME|EXTRA\nPATH\n");
  });

  it("says that there is no such program, or that it may not be run", async () => {
    const file = join(await tempFolder(), "not-executable");
    await writeFile(file, "#!/bin/sh\n");
    const command = { ...sh(""), args: [] };
    expect((await runCommand({ ...command, command: "no-such-program-anywhere" })).end).toEqual({
      kind: "not-started",
      code: "ENOENT",
    });
    expect((await runCommand({ ...command, command: file })).end).toEqual({
      kind: "not-started",
      code: "EACCES",
    });
  });

  it("has no standard input unless one is given", async () => {
    expect((await runCommand(sh("cat; echo done"))).stdout).toBe("done\n");
    const file = join(await tempFolder(), "input");
    await writeFile(file, "typed\n");
    await using input = await open(file);
    expect((await runCommand(sh("cat; echo done", { inputFd: input.fd }))).stdout).toBe("typed\ndone\n");
  });

  it.each([
    ["without a terminal", false],
    ["with one", true],
  ])("%s ends when the signal aborts, though a child of it holds its output open", async (_, hasInput) => {
    const controller = new AbortController();
    const { promise: started, resolve: onStart } = Promise.withResolvers<string>();
    await using input = await open("/dev/null");
    const running = runCommand(
      sh("sleep 1000 & echo $! >&2; wait", {
        signal: controller.signal,
        onStderr: onStart,
        ...(hasInput && { inputFd: input.fd }),
      }),
    );
    const child = (await started).trim();
    expect(await isRunning(child)).toBe(true);
    controller.abort();
    expect(await running).toMatchObject({ end: { kind: "killed", signal: "SIGKILL" } });
    if (hasInput) process.kill(Number(child), "SIGKILL");
    else await expect.poll(() => isRunning(child)).toBe(false);
  });

  it("does not start after an abort", async () => {
    const file = join(await tempFolder(), "trace");
    await runCommand(sh(`touch ${file}`, { signal: AbortSignal.abort() }));
    await expect(open(file)).rejects.toThrow("ENOENT");
  });

  it("ends a command that never stops printing", async () => {
    expect((await runCommand(sh("yes"))).end).toEqual({ kind: "too-much-output", limitBytes: 1024 * 1024 });
  });

  it("keeps the end of a long standard error, cut between words", async () => {
    const { stderr } = await runCommand(
      sh("i=0; while [ $i -lt 999 ]; do echo word$i-secret; i=$((i+1)); done >&2"),
    );
    expect(stderr.length).toBeLessThanOrEqual(4096);
    expect(stderr).toMatch(/^\nword\d+-secret\n/);
    expect(stderr).toMatch(/word998-secret\n$/);
  });
});
