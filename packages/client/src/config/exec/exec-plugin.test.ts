import { VirtualClock } from "@keelson/testkit";
import { describe, expect, it } from "vitest";
import { ExecCredentialError } from "../errors.ts";
import type { Command, CommandEnd, CommandResult } from "./command.ts";
import { ExecPlugin, type ExecPluginOptions } from "./exec-plugin.ts";
import { readExecSettings } from "./exec-settings.ts";

const apiVersion = "client.authentication.k8s.io/v1";

/** A plugin whose runs the test ends by hand. */
function setUp(exec: object = {}, options: Partial<ExecPluginOptions> = {}) {
  const clock = new VirtualClock();
  const warnings: string[] = [];
  const runs: { readonly command: Command; readonly finish: (result: Partial<CommandResult>) => void }[] = [];
  const plugin = new ExecPlugin({
    userName: "ann",
    settings: readExecSettings({ command: "get-token", apiVersion, interactiveMode: "IfAvailable", ...exec }),
    cluster: async () => ({ server: "https://k" }),
    env: { PATH: "/bin", GONE: undefined },
    clock,
    runCommand: (command) => {
      const { promise, resolve } = Promise.withResolvers<CommandResult>();
      const finish = (result: Partial<CommandResult>): void =>
        resolve({ end: { kind: "exit", code: 0 }, stdout: "", stderr: "", ...result });
      command.signal.addEventListener("abort", () => finish({ end: { kind: "killed", signal: "SIGKILL" } }));
      runs.push({ command, finish });
      return promise;
    },
    timeoutMs: 60_000,
    onWarning: (message) => warnings.push(message),
    ...options,
  });
  /** Asks for the credential and ends the run that this starts. */
  const runOnce = async (result: Partial<CommandResult>): Promise<string | undefined> => {
    const before = runs.length;
    const asking = plugin.credential();
    asking.catch(() => undefined);
    await expect.poll(() => runs.length).toBe(before + 1);
    runs[before]?.finish(result);
    return (await asking).token;
  };
  return { clock, plugin, runs, runOnce, warnings };
}

function token(value: string, expirationTimestamp?: string): Partial<CommandResult> {
  const status = { token: value, expirationTimestamp };
  return { stdout: JSON.stringify({ kind: "ExecCredential", apiVersion, status }) };
}

const failing: Partial<CommandResult> = { end: { kind: "exit", code: 1 }, stderr: "not logged in" };

describe("an exec plugin", () => {
  it("runs once for a credential that does not expire", async () => {
    const { clock, plugin, runs, runOnce } = setUp();
    expect(await runOnce(token("one"))).toBe("one");
    await clock.advance(365 * 24 * 3_600_000);
    expect(await plugin.credential()).toEqual({ token: "one" });
    expect(runs).toHaveLength(1);
  });

  it("runs again half a minute before its credential expires", async () => {
    const { clock, plugin, runs, runOnce } = setUp();
    await runOnce(token("one", "2026-01-01T01:00:00Z"));
    await clock.advance(3_569_999);
    expect((await plugin.credential()).token).toBe("one");
    expect(runs).toHaveLength(1);
    await clock.advance(1);
    expect(await runOnce(token("two"))).toBe("two");
  });

  it("does not run for each request when its credentials live for seconds", async () => {
    const { clock, plugin, runs, runOnce } = setUp();
    await runOnce(token("one", "2026-01-01T00:00:10Z"));
    await clock.advance(8_999);
    await plugin.credential();
    expect(runs).toHaveLength(1);
    await clock.advance(1);
    expect(await runOnce(token("two"))).toBe("two");
  });

  it("runs again after its credential was refused", async () => {
    const { plugin, runOnce } = setUp();
    await runOnce(token("one"));
    plugin.refused();
    expect(await runOnce(token("two"))).toBe("two");
  });

  it("runs once for many requests, also if they report refusals meanwhile", async () => {
    const { plugin, runs } = setUp();
    const asking = [plugin.credential(), plugin.credential(), plugin.credential()];
    await expect.poll(() => runs.length).toBe(1);
    plugin.refused();
    runs[0]?.finish(token("one"));
    expect(await Promise.all(asking)).toEqual([{ token: "one" }, { token: "one" }, { token: "one" }]);
    expect(await plugin.credential()).toEqual({ token: "one" });
    expect(runs).toHaveLength(1);
  });

  it("is aborted when no caller waits for it any more", async () => {
    const { clock, plugin, runs } = setUp();
    const controller = new AbortController();
    const asking = plugin.credential(controller.signal);
    await expect.poll(() => runs.length).toBe(1);
    controller.abort(new Error("enough"));
    await expect(asking).rejects.toThrow("enough");
    expect(runs[0]?.command.signal.aborted).toBe(true);
    await expect.poll(() => clock.pendingTimers).toEqual([]);
  });

  it("is ended when it takes too long", async () => {
    const { clock, plugin, runs } = setUp();
    const asking = plugin.credential();
    await expect.poll(() => runs.length).toBe(1);
    await clock.advance(60_000);
    await expect(asking).rejects.toMatchObject({
      failure: "timeout",
      message: expect.stringContaining("after 60 s"),
    });
    expect(runs[0]?.command.signal.aborted).toBe(true);
  });

  it("that fails while its credential is still good leaves that in use and warns", async () => {
    const { clock, plugin, runOnce, warnings } = setUp();
    await runOnce(token("one", "2026-01-01T01:00:00Z"));
    await clock.advance(3_580_000);
    expect(await runOnce(failing)).toBe("one");
    expect(warnings).toEqual([expect.stringMatching(/exit code 1.*not logged in.*still valid/s)]);
    await clock.advance(20_000);
    await expect(runOnce(failing)).rejects.toThrow("exit code 1");
    plugin.refused();
    await expect(runOnce(failing)).rejects.toThrow("exit code 1");
  });

  it("gets the environment it was promised, and nothing else", async () => {
    const env = [{ name: "REGION", value: "north" }];
    const { runs, runOnce } = setUp({ args: ["-v"], env, provideClusterInfo: true });
    await runOnce(token("one"));
    expect(runs[0]?.command).toMatchObject({ command: "get-token", args: ["-v"] });
    expect(runs[0]?.command.inputFd).toBeUndefined();
    const { KUBERNETES_EXEC_INFO: info, ...rest } = runs[0]?.command.env ?? {};
    expect(rest).toEqual({ PATH: "/bin", REGION: "north" });
    expect(JSON.parse(info ?? "")).toEqual({
      kind: "ExecCredential",
      apiVersion,
      spec: { interactive: false, cluster: { server: "https://k" } },
    });
  });
});

describe("an exec plugin and a person", () => {
  const terminal = { inputFd: 7, show: () => undefined };

  it.each([
    ["Never", terminal, undefined],
    ["IfAvailable", terminal, 7],
    ["IfAvailable", undefined, undefined],
    ["Always", terminal, 7],
  ])("in mode %s with terminal %o reads from %s", async (interactiveMode, given, inputFd) => {
    const { runs, runOnce } = setUp({ interactiveMode }, given === undefined ? {} : { terminal: given });
    await runOnce(token("one"));
    expect(runs[0]?.command.inputFd).toBe(inputFd);
    const info = JSON.parse(runs[0]?.command.env.KUBERNETES_EXEC_INFO ?? "");
    expect(info.spec).toEqual({ interactive: inputFd !== undefined });
    expect(runs[0]?.command.onStderr).toBe(given?.show);
  });

  it("is not run without a terminal that it needs", async () => {
    const { plugin, runs } = setUp({ interactiveMode: "Always" });
    await expect(plugin.credential()).rejects.toMatchObject({ failure: "needs-terminal" });
    expect(runs).toHaveLength(0);
  });
});

describe("the error of an exec plugin", () => {
  const notFound: CommandEnd = { kind: "not-started", code: "ENOENT" };

  it.each<[Partial<CommandResult>, string, RegExp]>([
    [{ end: notFound }, "command-not-found", /there is no such program; install it, or put it in PATH/],
    [
      { end: { kind: "not-started", code: "EACCES" } },
      "cannot-start",
      /cannot be started \(EACCES\); make it/,
    ],
    [failing, "exit-code", /exit code 1; run it by hand.*; it said:\nnot logged in/s],
    [{ end: { kind: "killed", signal: "SIGTERM" } }, "killed", /killed by SIGTERM; find out/],
    [
      { end: { kind: "too-much-output", limitBytes: 9 } },
      "too-much-output",
      /more than 9 bytes; run it by hand/,
    ],
    [{ stdout: "s3cr3t-t0ken" }, "not-json", /not a JSON object; run it by hand/],
  ])("for %j says what to do", async (result, failure, message) => {
    const { runOnce } = setUp();
    const error = await runOnce(result).catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(ExecCredentialError);
    expect(error).toMatchObject({
      code: "EXEC_CREDENTIAL_FAILED",
      failure,
      user: "ann",
      command: "get-token",
    });
    expect(String(error)).toMatch(/get credentials of user ann from get-token: /);
    expect(String(error)).toMatch(message);
    expect(JSON.stringify(error) + String(error)).not.toContain("s3cr3t");
  });

  it("shows the hint of the kubeconfig when the command is missing", async () => {
    const { runOnce } = setUp({ installHint: "brew install get-token" });
    await expect(runOnce({ end: notFound })).rejects.toThrow(
      "there is no such program; brew install get-token",
    );
  });

  it("does not show secrets that the plugin repeats on its standard error", async () => {
    const env = [{ name: "CLIENT_SECRET", value: "env-s3cr3t" }];
    const { clock, runOnce } = setUp({ env, args: ["--password", "arg-s3cr3t"] });
    await runOnce(token("old-s3cr3t", "2026-01-01T00:01:00Z"));
    await clock.advance(60_000);
    const error = await runOnce({
      ...token("new-s3cr3t"),
      end: { kind: "exit", code: 3 },
      stderr: "+ login env-s3cr3t arg-s3cr3t old-s3cr3t\n+ echo new-s3cr3t\nrefused",
    }).catch((caught: unknown) => caught);
    expect(error).toMatchObject({
      exitCode: 3,
      stderr: expect.stringMatching(/^\+ login <redacted>.*refused$/s),
    });
    expect(JSON.stringify(error) + String(error)).not.toContain("s3cr3t");
  });
});
