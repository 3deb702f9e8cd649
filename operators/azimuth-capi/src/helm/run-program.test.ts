import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { VirtualClock } from "@keelson/testkit";
import { systemClock } from "keelson";
import { describe, expect, it, onTestFinished } from "vitest";
import { type Program, runProgram } from "./run-program.ts";

const never = new AbortController().signal;
const real = { clock: systemClock, signal: never };

/** A script of the shell, which stands for a program. */
function script(text: string, choice: Partial<Program> = {}): Program {
  return {
    ...{ executable: "/bin/sh", args: ["-c", text, "program"], env: { PATH: "/usr/bin:/bin" } },
    ...{ folder: tmpdir(), maxOutputBytes: 1_000_000, ...choice },
  };
}

async function tempFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "keelson-program-test-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  return folder;
}

function textIn(file: string): Promise<string> {
  return readFile(file, "utf8").catch(() => "");
}

/** A process that has ended and was not reaped does not run. */
async function isRunning(pid: string): Promise<boolean> {
  const { stdout: state } = await runProgram(script(`ps -o stat= -p ${pid}`), real);
  return state !== "" && !state.startsWith("Z");
}

describe("a program", () => {
  it("gets its input, its environment and nothing else", async () => {
    const program = script("cat; env; echo complaint >&2; exit 3", { input: "values", env: { A: "1" } });
    const { end, stdout, stderr } = await runProgram(program, real);
    expect(end).toEqual({ kind: "exit", code: 3 });
    expect(stdout).toMatch(/^values/);
    expect(stdout).toContain("A=1");
    expect(stdout).not.toContain("HOME=");
    expect(stderr).toBe("complaint\n");
  });

  it("need not read its input", async () => {
    const { end } = await runProgram(script("exit 0", { input: "x".repeat(1_000_000) }), real);
    expect(end).toEqual({ kind: "exit", code: 0 });
  });

  it("is not started if there is none", async () => {
    const { end } = await runProgram(script("", { executable: "/nowhere/helm" }), real);
    expect(end).toEqual({ kind: "not-started", code: "ENOENT" });
  });

  it("is ended if it prints too much", async () => {
    const { end, stdout } = await runProgram(script("yes", { maxOutputBytes: 100_000 }), real);
    expect(end).toEqual({ kind: "too-much-output" });
    expect(stdout.length).toBeLessThanOrEqual(100_000);
  });

  it("is only heard at the end of what it complains of", async () => {
    const { stderr } = await runProgram(script("yes word | head -n 10000 >&2; echo last >&2"), real);
    expect(stderr.length).toBeLessThanOrEqual(8_192);
    expect(stderr).toMatch(/last\n$/);
  });

  it("is not looked at if its output is of no interest", async () => {
    const { end, stdout } = await runProgram(script("echo secret", { maxOutputBytes: 0 }), real);
    expect({ end, stdout }).toEqual({ end: { kind: "exit", code: 0 }, stdout: "" });
  });

  it("is asked to end by an abort, with what it has started", async () => {
    const abort = new AbortController();
    const ready = join(await tempFolder(), "ready");
    const text = `trap 'echo asked >&2; exit 1' TERM; sleep 1000 & echo $! > ${ready}; wait`;
    const running = runProgram(script(text), { clock: systemClock, signal: abort.signal });
    await expect.poll(() => textIn(ready)).toMatch(/\d+\n/);
    abort.abort();
    const { end, stderr } = await running;
    expect({ end, stderr }).toEqual({ end: { kind: "exit", code: 1 }, stderr: "asked\n" });
    await expect.poll(async () => isRunning(await textIn(ready))).toBe(false);
  });

  it("is killed if it does not heed an abort", async () => {
    const clock = new VirtualClock();
    const abort = new AbortController();
    const ready = join(await tempFolder(), "ready");
    const text = `trap '' TERM; echo ready > ${ready}; while :; do sleep 0.05; done`;
    const running = runProgram(script(text), { clock, signal: abort.signal });
    await expect.poll(() => textIn(ready)).toBe("ready\n");
    abort.abort();
    await clock.advance(4_999);
    expect(clock.pendingTimers).toHaveLength(1);
    await clock.advance(1);
    expect((await running).end).toEqual({ kind: "killed", signal: "SIGKILL" });
  });

  it("is not started if it is aborted before", async () => {
    const { end } = await runProgram(script("exit 0"), { clock: systemClock, signal: AbortSignal.abort() });
    expect(end).toEqual({ kind: "killed", signal: "SIGTERM" });
  });
});
