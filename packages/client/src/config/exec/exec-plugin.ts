import { type Clock, toError } from "@keelson/core";
import type { OnWarning } from "../credentials.ts";
import { ExecCredentialError, type ExecProblem } from "../errors.ts";
import type { Environment } from "../load-kubeconfig.ts";
import type { CommandResult, RunCommand, Terminal } from "./command.ts";
import { type ExecCredential, isProblem, readExecCredential } from "./exec-credential.ts";
import { type ExecCluster, makeExecInfo } from "./exec-info.ts";
import type { ExecSettings } from "./exec-settings.ts";
import { redact, secretsOfEnvironment, secretsOfOutput, secretsOfSettings } from "./redact.ts";
import { SharedRun } from "./shared-run.ts";

export interface ExecPluginOptions {
  readonly userName: string;
  readonly settings: ExecSettings;
  /** Called only if the plugin gets the cluster. */
  readonly cluster: (signal: AbortSignal) => Promise<ExecCluster>;
  /** The environment that the plugin's own is based on. */
  readonly env: Environment;
  readonly clock: Clock;
  readonly runCommand: RunCommand;
  readonly timeoutMs: number;
  readonly terminal?: Terminal;
  readonly onWarning: OnWarning;
}

/** A credential is renewed this long before it expires, but never in the first nine tenths of its life. */
const renewAheadMs = 30_000;

interface HeldCredential {
  readonly credential: ExecCredential;
  /** By the wall clock, as `expiresAtMs`. */
  readonly renewAtMs: number;
}

/**
 * Credentials from a plugin. It runs when a credential is first needed, when the current one is about to expire, and
 * after that one was refused; never twice at the same time. If it fails while the current credential is still valid,
 * that one stays in use and `onWarning` is called.
 */
export class ExecPlugin {
  readonly #options: ExecPluginOptions;
  readonly #run: SharedRun<ExecCredential>;
  #held: HeldCredential | undefined;

  constructor(options: ExecPluginOptions) {
    this.#options = options;
    this.#run = new SharedRun((signal) => this.#renew(signal));
  }

  async credential(signal?: AbortSignal): Promise<ExecCredential> {
    const { clock, onWarning } = this.#options;
    signal?.throwIfAborted();
    const held = this.#held;
    if (held !== undefined && clock.now() < held.renewAtMs) return held.credential;
    try {
      return await this.#run.join(signal);
    } catch (error) {
      signal?.throwIfAborted();
      const isGood =
        held !== undefined && held === this.#held && clock.now() < (held.credential.expiresAtMs ?? 0);
      if (!isGood) throw error;
      onWarning(`${toError(error).message} (the current credential is still valid)`);
      return held.credential;
    }
  }

  /** The server did not accept the credential; a run that is under way brings a newer one. */
  refused(): void {
    this.#held = undefined;
  }

  async #renew(signal: AbortSignal): Promise<ExecCredential> {
    const result = await this.#runPlugin(signal);
    const { settings, clock } = this.#options;
    const outcome = this.#problemOf(result) ?? readExecCredential(result.stdout, settings.apiVersion);
    if (isProblem(outcome)) throw this.#error(outcome, result);
    this.#held = { credential: outcome, renewAtMs: renewalTime(outcome, clock.now()) };
    return outcome;
  }

  async #runPlugin(signal: AbortSignal): Promise<CommandResult> {
    const { settings, clock, runCommand, timeoutMs, terminal } = this.#options;
    const isInteractive = this.#isInteractive();
    const env = await this.#environment(isInteractive, signal);
    const late = new AbortController();
    const cancelTimer = clock.schedule(timeoutMs, () => late.abort());
    try {
      const result = await runCommand({
        command: settings.command,
        args: settings.args,
        env,
        ...(isInteractive && terminal !== undefined && { inputFd: terminal.inputFd }),
        ...(terminal !== undefined && { onStderr: terminal.show }),
        signal: AbortSignal.any([signal, late.signal]),
      });
      signal.throwIfAborted();
      if (late.signal.aborted) throw this.#error(timeoutProblem(timeoutMs), result);
      return result;
    } finally {
      cancelTimer();
    }
  }

  #isInteractive(): boolean {
    const { settings, terminal } = this.#options;
    if (settings.interactiveMode === "Always" && terminal === undefined) {
      throw this.#error({
        failure: "needs-terminal",
        problem: "it must talk to a person (interactiveMode Always), and there is no terminal",
        advice: "run in a terminal, or use credentials that need no person",
      });
    }
    return settings.interactiveMode !== "Never" && terminal !== undefined;
  }

  async #environment(isInteractive: boolean, signal: AbortSignal): Promise<Record<string, string>> {
    const { settings, env } = this.#options;
    const { apiVersion } = settings;
    const cluster = settings.providesClusterInfo ? await this.#options.cluster(signal) : undefined;
    const info = makeExecInfo({ apiVersion, isInteractive, ...(cluster !== undefined && { cluster }) });
    const inherited = Object.entries(env).filter(
      (entry): entry is [string, string] => entry[1] !== undefined,
    );
    return { ...Object.fromEntries(inherited), ...settings.env, KUBERNETES_EXEC_INFO: info };
  }

  /** What is wrong with how the plugin ended, if anything. */
  #problemOf({ end }: CommandResult): ExecProblem | undefined {
    const { installHint } = this.#options.settings;
    switch (end.kind) {
      case "exit":
        if (end.code === 0) return undefined;
        return {
          failure: "exit-code",
          problem: `it ended with exit code ${end.code}`,
          advice: "run it by hand; you may have to log in again",
          exitCode: end.code,
        };
      case "killed":
        return {
          failure: "killed",
          problem: `it was killed by ${end.signal}`,
          advice: "find out by whom, and try again",
        };
      case "too-much-output":
        return {
          failure: "too-much-output",
          problem: `it printed more than ${end.limitBytes} bytes`,
          advice: "run it by hand to see what it prints",
        };
      case "not-started":
        if (end.code !== "ENOENT") {
          const problem = `it cannot be started (${end.code})`;
          return { failure: "cannot-start", problem, advice: "make it a program that this user may run" };
        }
        return {
          failure: "command-not-found",
          problem: "there is no such program",
          advice: installHint ?? "install it, or put it in PATH",
        };
    }
  }

  #error(
    problem: ExecProblem,
    { stdout, stderr }: Pick<CommandResult, "stdout" | "stderr"> = silence,
  ): ExecCredentialError {
    const { userName, settings, env } = this.#options;
    const { token = "" } = this.#held?.credential ?? {};
    const given = [...secretsOfSettings(settings), ...secretsOfEnvironment(env)];
    const secrets = [token, ...given, ...secretsOfOutput(stdout)];
    return new ExecCredentialError(userName, settings.command, {
      ...problem,
      stderr: redact(stderr, secrets).trim(),
    });
  }
}

const silence = { stdout: "", stderr: "" };

function renewalTime({ expiresAtMs }: ExecCredential, nowMs: number): number {
  if (expiresAtMs === undefined) return Number.POSITIVE_INFINITY;
  const lifeMs = Math.max(expiresAtMs - nowMs, 0);
  return expiresAtMs - Math.min(renewAheadMs, lifeMs / 10);
}

function timeoutProblem(timeoutMs: number): ExecProblem {
  return {
    failure: "timeout",
    problem: `it was not done after ${timeoutMs / 1000} s`,
    advice: "run it by hand to see what it waits for",
  };
}
