import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { Clock } from "keelson";
import type { ClusterAccess, Environment } from "keelson/client";
import type { HelmSettings } from "../settings.ts";
import { Slots } from "../slots.ts";
import { withoutSecrets } from "./chart-values.ts";
import {
  HelmAccessError,
  HelmCommandError,
  HelmFormatError,
  HelmTimeoutError,
  HelmUnavailableError,
} from "./errors.ts";
import { currentAccess, kubeconfigFor } from "./kubeconfig-file.ts";
import { type ProgramEnd, type ProgramResult, runProgram } from "./run-program.ts";

/** A command of Helm. Its words are visible to every process of the machine: no secret may be among them. */
export interface HelmCommand {
  /** For messages, such as `upgrade release team-a/demo`. */
  readonly purpose: string;
  /** Such as `upgrade`. */
  readonly verb: readonly string[];
  readonly flags?: readonly string[];
  /** Flags that Helm 3 does not have. */
  readonly flagsOfHelm4?: readonly string[];
  readonly operands?: readonly string[];
  /** Standard input, where values go. */
  readonly input?: string;
  /** What must not show in an error. */
  readonly secrets?: readonly string[];
  /** A repository that it knows by name. Default: none. */
  readonly repository?: Repository | undefined;
  /** Whether it connects to the API server. Default false. */
  readonly needsCluster?: boolean;
  /** It is ended after so long. Default: helmClient.defaultTimeout, and the time that Helm needs to end by itself. */
  readonly timeoutMs?: number;
  /** Whether what it prints is of interest. Default false. */
  readonly hasOutput?: boolean;
}

/** An entry of Helm's file of repositories, which may hold credentials. */
export interface Repository {
  readonly name: string;
  readonly url: string;
  readonly username: string;
  readonly password: string;
}

export interface HelmCommandsOptions {
  readonly settings: HelmSettings;
  readonly access: ClusterAccess | undefined;
  readonly clock: Clock;
  readonly env: Environment;
  /** Where private folders are made. */
  readonly root: string;
  readonly maxCommands: number;
}

/** Where a command runs: nothing of it is left afterwards. */
interface Session {
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
}

/** Far more than any chart renders to. */
const maxOutputBytes = 64 * 1024 * 1024;
/** Helm ends by its own limit first, and says what it waited for. */
const timeoutMarginMs = 30_000;

/**
 * Runs the program of Helm: a few commands at once, each in a private folder that goes with it. Neither the configuration
 * nor the plugins of the user of this process count.
 */
export class HelmCommands {
  readonly #options: HelmCommandsOptions;
  readonly #slots: Slots;
  /** Of the program; undefined until it was asked. */
  #major: number | undefined;

  constructor({ settings, ...options }: HelmCommandsOptions) {
    const { executable } = settings;
    // Helm runs in a folder of its own, where a relative path would be another one.
    const path = executable.includes("/") ? resolve(executable) : executable;
    this.#options = { ...options, settings: { ...settings, executable: path } };
    this.#slots = new Slots(options.maxCommands);
  }

  /**
   * Gives what it printed. Rejects with a HelmError, or with the signal's reason once the process has ended. The first command
   * also finds out which version of Helm it is.
   */
  run(command: HelmCommand, signal: AbortSignal): Promise<string> {
    const { root } = this.#options;
    return this.#slots.run(signal, () =>
      withPrivateFolder(root, async (folder) => {
        const session = { folder, signal, env: await this.#prepare(command, folder, signal) };
        this.#major ??= await this.#askVersion(session);
        const { purpose, repository, secrets = [] } = command;
        if (repository !== undefined)
          await this.#run({ purpose, verb: ["repo", "update"], secrets }, session);
        return this.#run(command, session);
      }),
    );
  }

  /** Writes what the command reads, and gives its environment. */
  async #prepare(
    { purpose, needsCluster = false, repository }: HelmCommand,
    folder: string,
    signal: AbortSignal,
  ): Promise<Session["env"]> {
    const { access, settings, env } = this.#options;
    // Helm 3 prefers a folder of the chart's name to the repository, so it works where there is none.
    await mkdir(workFolder(folder));
    const own = privateEnvironment(folder);
    if (repository !== undefined)
      await writePrivate(own.HELM_REPOSITORY_CONFIG, { apiVersion: "v1", repositories: [repository] });
    if (!needsCluster) return { ...inheritedEnvironment(env), ...own };
    if (access === undefined)
      throw new HelmAccessError(`${purpose}: the manager was not told how helm reaches the API server`);
    const current = await currentAccess(access, signal);
    await writePrivate(own.KUBECONFIG, kubeconfigFor(current, settings));
    return { ...inheritedEnvironment(env, hostOf(current.server)), ...own };
  }

  async #run(command: HelmCommand, session: Session): Promise<string> {
    const { purpose, verb, flags = [], flagsOfHelm4 = [], operands = [], secrets = [] } = command;
    const { access, settings } = this.#options;
    const args = [
      ...verb,
      ...flags,
      ...(this.#major === 4 ? flagsOfHelm4 : []),
      ...(operands.length === 0 ? [] : ["--", ...operands]),
    ];
    const { end, stdout, stderr } = await this.#start(command, args, session);
    if (end.kind === "exit" && end.code === 0) return stdout;
    if (end.kind === "not-started") throw notStarted(settings.executable, end.code);
    if (end.kind === "too-much-output")
      throw new HelmFormatError(`${purpose}: helm printed more than ${maxOutputBytes} bytes`);
    const error = new HelmCommandError({
      purpose,
      command: [settings.executable, ...args],
      exitCode: end.kind === "exit" ? end.code : undefined,
      stderr: withoutSecrets(stderr, secrets).trim(),
    });
    if (error.failure === "unauthorized") access?.refused();
    throw error;
  }

  /** Throws the signal's reason if it aborts, or a HelmTimeoutError. */
  async #start(
    { purpose, input, hasOutput = false, timeoutMs }: HelmCommand,
    args: readonly string[],
    { folder, env, signal }: Session,
  ): Promise<ProgramResult> {
    const { clock, settings } = this.#options;
    const limitMs = timeoutMs ?? settings.defaultTimeout + timeoutMarginMs;
    const timeout = new AbortController();
    const cancel = clock.schedule(limitMs, () => timeout.abort());
    try {
      const result = await runProgram(
        {
          ...{ executable: settings.executable, args, env, input },
          folder: workFolder(folder),
          maxOutputBytes: hasOutput ? maxOutputBytes : 0,
        },
        { clock, signal: AbortSignal.any([signal, timeout.signal]) },
      );
      signal.throwIfAborted();
      if (timeout.signal.aborted) throw new HelmTimeoutError(purpose, limitMs);
      return result;
    } finally {
      cancel();
    }
  }

  /** 3 or 4. Throws a HelmUnavailableError if it is neither. */
  async #askVersion(session: Session): Promise<number> {
    const { executable } = this.#options.settings;
    const verb = ["version", "--template={{.Version}}"];
    const command = { purpose: "find out the version of helm", verb, hasOutput: true };
    const { end, stdout, stderr } = await this.#start(command, verb, session);
    if (end.kind === "not-started") throw notStarted(executable, end.code);
    const [, major, minor] = /^v(\d+)\.(\d+)\./.exec(stdout.trim()) ?? [];
    if (!hasSucceeded(end) || major === undefined || minor === undefined)
      throw new HelmUnavailableError(executable, `it is not Helm (${withoutSecrets(stderr, []).trim()})`);
    const isKnown = Number(major) === 4 || (Number(major) === 3 && Number(minor) >= 17);
    if (!isKnown) throw new HelmUnavailableError(executable, `it is Helm ${stdout.trim()}`);
    return Number(major);
  }
}

function hasSucceeded(end: ProgramEnd): boolean {
  return end.kind === "exit" && end.code === 0;
}

function notStarted(executable: string, code: string): HelmUnavailableError {
  const problem = code === "ENOENT" ? "there is no such program" : `it cannot be started (${code})`;
  return new HelmUnavailableError(executable, problem);
}

function workFolder(folder: string): string {
  return join(folder, "work");
}

/** The variables that keep all files of a command in its folder. */
function privateEnvironment(folder: string) {
  return {
    HOME: folder,
    TMPDIR: folder,
    HELM_CACHE_HOME: join(folder, "cache"),
    HELM_CONFIG_HOME: join(folder, "config"),
    HELM_DATA_HOME: join(folder, "data"),
    HELM_REPOSITORY_CONFIG: join(folder, "repositories.yaml"),
    // Releases are read where this driver keeps them.
    HELM_DRIVER: "secret",
    KUBECONFIG: join(folder, "kubeconfig"),
  };
}

const proxies = ["HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"];
const authorities = ["SSL_CERT_FILE", "SSL_CERT_DIR"];

/** An IPv6 address has no brackets in NO_PROXY. */
function hostOf(server: string): string {
  return new URL(server).hostname.replace(/^\[(.*)\]$/, "$1");
}

/** Where programs are, how repositories are reached, and whose certificates are trusted. */
function inheritedEnvironment(env: Environment, apiServer?: string): Readonly<Record<string, string>> {
  const entries = ["PATH", ...proxies, ...authorities].map((name) => [name, env[name]] as const);
  // The operator itself goes to the API server without a proxy, unless its kubeconfig names one, which then wins.
  const direct = [env.NO_PROXY ?? env.no_proxy, apiServer].filter((hosts) => hosts !== undefined);
  return Object.fromEntries(
    [...entries, ["NO_PROXY", direct.join(",") || undefined] as const].filter(
      (entry): entry is readonly [string, string] => entry[1] !== undefined,
    ),
  );
}

/** Calls `use` with a folder that only the user of this process can read, and deletes it with all that is in it. */
export async function withPrivateFolder<T>(root: string, use: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(root, "keelson-helm-"));
  try {
    return await use(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** JSON is YAML. Only the owner may read it. */
async function writePrivate(file: string, content: object): Promise<void> {
  await writeFile(file, JSON.stringify(content), { mode: 0o600 });
}
