import { type Client, createClient } from "@keelson/client";
import {
  aborted,
  type HttpService,
  type Listen,
  type ListenOptions,
  seededRandom,
  type Transport,
} from "@keelson/core";
import { ConfigMap } from "@keelson/core/kinds/core/v1";
import { RecordingLogger, VirtualClock } from "@keelson/testkit";
import { CacheNotStartedError, CacheStoppedError } from "../../../src/cache/errors.ts";
import { Manager } from "../../../src/manager/manager.ts";
import type { ManagerOptions } from "../../../src/manager/manager-options.ts";
import type { Runnable } from "../../../src/manager/runnable.ts";

import { silentTransport } from "../controller-world.ts";

/** Ports that are open, without a network. */
class FakePorts {
  readonly services: Map<number, HttpService> = new Map();
  readonly #told: string[];

  constructor(told: string[]) {
    this.#told = told;
  }

  readonly listen: Listen = async ({ port }: ListenOptions, service) => {
    this.#told.push(`open ${port}`);
    this.services.set(port, service);
    return {
      port,
      close: async () => {
        this.#told.push(`close ${port}`);
        this.services.delete(port);
      },
    };
  };

  /** What a GET to an open port is answered. */
  async get(port: number, path: string): Promise<{ readonly status: number; readonly text: string }> {
    const service = this.services.get(port);
    if (service === undefined) throw new Error(`nothing listens on port ${port}`);
    const request = {
      method: "GET",
      path,
      headers: {},
      body: (async function* () {})(),
      signal: new AbortController().signal,
    };
    const { status, body } = await service(request);
    const chunks: string[] = [];
    if (typeof body === "string") chunks.push(body);
    else if (body !== undefined)
      for await (const chunk of asChunks(body)) chunks.push(Buffer.from(chunk).toString());
    return { status, text: chunks.join("") };
  }
}

function asChunks(body: Uint8Array | AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  return body instanceof Uint8Array
    ? (async function* () {
        yield body;
      })()
    : body;
}

export interface ManagerWorld {
  readonly manager: Manager;
  readonly clock: VirtualClock;
  readonly client: Client;
  readonly log: RecordingLogger;
  readonly ports: FakePorts;
  /** What happened, in order. */
  readonly told: string[];
  /** The result of `run`, once it was started. */
  readonly running: Promise<void>;
  start(): Promise<void>;
  /** Aborts the signal, and lets what follows come to rest, without moving time. */
  stop(reason?: unknown): Promise<void>;
  /** A runnable that tells when it starts and stops; it ends when it is told to, unless it is stubborn. */
  runnable(name: string, options?: Partial<Runnable> & { readonly isStubborn?: boolean }): Runnable;
}

/** A manager on a virtual clock, without a server: nothing is asked of one unless a transport is given. */
export function managerWorld(
  options: Partial<ManagerOptions> & { readonly transport?: Transport; readonly clock?: VirtualClock } = {},
): ManagerWorld {
  const { transport = silentTransport, clock = new VirtualClock(), ...given } = options;
  const told: string[] = [];
  const ports = new FakePorts(told);
  const log = new RecordingLogger();
  const client = createClient({ transport, clock });
  const manager = new Manager({
    client,
    clock,
    random: seededRandom(1),
    log,
    listen: ports.listen,
    permissionCheck: "off",
    ...given,
    metrics: { ...given.metrics },
  });
  const signals = new AbortController();
  let running: Promise<void> = Promise.resolve();
  return {
    ...{ manager, clock, client, log, ports, told },
    get running() {
      return running;
    },
    start: async () => {
      running = manager.run(signals.signal);
      // Looked at by the test.
      running.catch(() => undefined);
      await clock.settle();
    },
    stop: async (reason = new Error("the test is over")) => {
      signals.abort(reason);
      await clock.settle();
    },
    runnable: (name, { isStubborn = false, ...rest } = {}) => ({
      name,
      run: async (signal) => {
        told.push(`start ${name}`);
        await aborted(signal);
        told.push(`stop ${name}`);
        if (isStubborn) await new Promise(() => undefined);
      },
      ...rest,
    }),
  };
}

/** Whether reads are answered. */
export function cachePhase({ cache }: Manager): "new" | "running" | "stopped" {
  try {
    cache.informersForReads(ConfigMap, "look");
    return "running";
  } catch (error) {
    if (error instanceof CacheNotStartedError) return "new";
    if (error instanceof CacheStoppedError) return "stopped";
    throw error;
  }
}
