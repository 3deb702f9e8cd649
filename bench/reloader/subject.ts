import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync, readFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { Client } from "keelson";
import { isRecord } from "keelson/low-level";
import type { ApiCallCounter } from "./api-calls.ts";
import { ProcessUsage } from "./process-usage.ts";

const readyTimeoutMs = 120_000;

/** The environment variable with the path of upstream's program. */
export const upstreamVariable = "KEELSON_UPSTREAM_RELOADER";

export interface SubjectOptions {
  readonly kubeconfigPath: string;
  /** The administrator's. */
  readonly client: Client;
  readonly apiCalls: ApiCallCounter;
  readonly strategy: "env-vars" | "annotations";
  /** Where its output goes. */
  readonly folder: string;
}

/** A program that reloads workloads, to be measured. */
export interface Subject {
  readonly name: "keelson" | "upstream";
  /** Starts a process; resolves when changes from now on are noticed. */
  start(options: SubjectOptions): Promise<SubjectProcess>;
  /** Resolves when each of so many workloads is known, so that the next change of what it uses counts. */
  isPrepared(client: Client, workloads: number): Promise<boolean>;
}

/** A running subject. */
export interface SubjectProcess extends AsyncDisposable {
  readonly usage: ProcessUsage;
  /** Ends it at once, by SIGKILL. */
  kill(): Promise<void>;
}

/** How Keelson's process is started, before the arguments of `keelson`. */
interface Launch {
  readonly nodeArgs: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

const cli = (file: string): string => fileURLToPath(new URL(`../../packages/cli/${file}`, import.meta.url));
const published = cli("dist/main.js");

/** The Reloader operator by `keelson run`, with its defaults except for the limit on reloads of a workload. */
function keelsonBy({ nodeArgs, env = {} }: Launch): Subject {
  return {
    name: "keelson",
    async start(options) {
      const healthPort = await freePort();
      const flags = {
        "--kubeconfig": options.kubeconfigPath,
        "--bind-address": "127.0.0.1",
        "--metrics-port": await freePort(),
        "--health-port": healthPort,
        "--webhook-port": -1,
        "--log-format": "json",
        "--reload-strategy": options.strategy,
        // The scenarios reload as often as the breaker exists to prevent.
        "--circuit-breaker-reloads": 0,
      };
      const args = Object.entries(flags).map(([flag, value]) => `${flag}=${value}`);
      const command = [...nodeArgs, "run", "reloader", "--install-crds", ...args];
      return startProcess(process.execPath, command, options, env, async () => {
        const response = await fetch(`http://127.0.0.1:${healthPort}/readyz`);
        return response.ok;
      });
    },
    async isPrepared(client, workloads) {
      const list = await client.raw("/apis/reloader.stakater.com/v1alpha1/reloadrecords");
      const records: readonly unknown[] = isRecord(list) && Array.isArray(list.items) ? list.items : [];
      const adopted = records.filter(
        (record) => isRecord(record) && isRecord(record.status) && record.status.adoptedAt !== undefined,
      );
      return adopted.length >= workloads;
    },
  };
}

/** From the sources. */
export const keelson = keelsonBy({ nodeArgs: ["--conditions=@keelson/source", cli("src/main.ts")] });

/** As it is published, which needs a build. */
export const publishedKeelson = keelsonBy({ nodeArgs: [published] });

/** The same with the flag for a smaller heap, which the operator's README names. */
export const smallKeelson = keelsonBy({ nodeArgs: ["--max-semi-space-size=2", published] });

/** The same with all that the README names for the smallest process, which costs CPU time. */
export const smallestKeelson = keelsonBy({
  nodeArgs: ["--max-semi-space-size=2", "--lite-mode", published],
  env: { MALLOC_ARENA_MAX: "1", MALLOC_MMAP_THRESHOLD_: "12288", MALLOC_TRIM_THRESHOLD_: "131072" },
});

/** stakater/Reloader. Its address for metrics is fixed, so only one can run on a machine. */
export function upstream(program: string): Subject {
  return {
    name: "upstream",
    async start(options) {
      const startedAtMs = Date.now();
      const flags = [`--reload-strategy=${options.strategy}`, "--log-format=json"];
      const env = { KUBECONFIG: options.kubeconfigPath, RELOADER_NAMESPACE: "default" };
      return startProcess(program, flags, options, env, async () => {
        const resources = ["configmaps", "secrets"];
        const watching = resources.map((resource) => options.apiCalls.isWatching(resource, startedAtMs));
        return (await Promise.all(watching)).every((isWatching) => isWatching);
      });
    },
    // It compares an event with the one before, and knows nothing of workloads in advance.
    isPrepared: async () => true,
  };
}

async function startProcess(
  program: string,
  args: readonly string[],
  { folder }: SubjectOptions,
  env: Readonly<Record<string, string>>,
  isReady: () => Promise<boolean>,
): Promise<SubjectProcess> {
  const logFile = join(folder, "subject.log");
  const log = openSync(logFile, "a");
  const child = spawn(program, args, {
    stdio: ["ignore", log, log],
    env: { PATH: process.env.PATH, HOME: folder, ...env },
  });
  closeSync(log);
  const exited = once(child, "exit");
  const usage = new ProcessUsage(child.pid ?? 0);
  const kill = async (): Promise<void> => {
    usage.sample();
    usage[Symbol.dispose]();
    if (child.exitCode === null && child.signalCode === null) child.kill("SIGKILL");
    await exited;
  };
  try {
    await untilReady(child, isReady);
  } catch (error) {
    await kill();
    const end = readFileSync(logFile, "utf8").split("\n").slice(-15).join("\n");
    throw new Error(`${program} did not become ready; the end of its output:\n${end}`, { cause: error });
  }
  return { usage, kill, [Symbol.asyncDispose]: kill };
}

async function untilReady(child: ChildProcess, isReady: () => Promise<boolean>): Promise<void> {
  const giveUpAtMs = performance.now() + readyTimeoutMs;
  while (!(await isReady().catch(() => false))) {
    if (child.exitCode !== null || child.signalCode !== null) throw new Error("it has ended");
    if (performance.now() > giveUpAtMs) throw new Error(`it was not ready after ${readyTimeoutMs / 1000} s`);
    await setTimeout(50);
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  if (address === null || typeof address === "string") throw new Error("no free port");
  return address.port;
}
