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
import { expect } from "vitest";
import { CacheNotStartedError, CacheStoppedError } from "../../../src/cache/errors.ts";
import type {
  ControllerDefinition,
  ControllerOptions,
} from "../../../src/controller/controller-definition.ts";
import type { Reconciler } from "../../../src/controller/reconciler.ts";
import { Manager } from "../../../src/manager/manager.ts";
import type { ManagerOptions } from "../../../src/manager/manager-options.ts";
import type { Runnable } from "../../../src/manager/runnable.ts";
import { readySource, silentTransport } from "../controller-world.ts";

/** Open ports without a network. */
class FakePorts {
  readonly services: Map<number, HttpService> = new Map();
  readonly #history: string[];

  constructor(history: string[]) {
    this.#history = history;
  }

  readonly listen: Listen = async ({ port }: ListenOptions, service) => {
    this.#history.push(`open ${port}`);
    this.services.set(port, service);
    return {
      port,
      close: async () => {
        this.#history.push(`close ${port}`);
        this.services.delete(port);
      },
    };
  };

  /** The response to a GET on an open port. */
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
  readonly history: string[];
  /** The result of `run`, once it was started. */
  readonly running: Promise<void>;
  start(): Promise<void>;
  /** Aborts the signal and waits until nothing happens any more, without advancing the clock. */
  stop(reason?: unknown): Promise<void>;
  /** A runnable that records its start and stop; it ends when its signal aborts, unless it is stubborn. */
  runnable(name: string, options?: Partial<Runnable> & { readonly isStubborn?: boolean }): Runnable;
}

/** A manager on a virtual clock, without a server unless a transport is given. */
export function managerWorld(
  options: Partial<ManagerOptions> & { readonly transport?: Transport; readonly clock?: VirtualClock } = {},
): ManagerWorld {
  const { transport = silentTransport, clock = new VirtualClock(), ...given } = options;
  const history: string[] = [];
  const ports = new FakePorts(history);
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
    ...{ manager, clock, client, log, ports, history },
    get running() {
      return running;
    },
    start: async () => {
      running = manager.run(signals.signal);
      // The test awaits it.
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
        history.push(`start ${name}`);
        await aborted(signal);
        history.push(`stop ${name}`);
        if (isStubborn) await new Promise(() => undefined);
      },
      ...rest,
    }),
  };
}

/** Whether the cache serves reads. */
export function cachePhase({ cache }: Manager): "new" | "running" | "stopped" {
  try {
    cache.informersForReads(ConfigMap, "check the cache");
    return "running";
  } catch (error) {
    if (error instanceof CacheNotStartedError) return "new";
    if (error instanceof CacheStoppedError) return "stopped";
    throw error;
  }
}

/** A controller of strings whose one source is ready at once. */
export function makeDefinition(
  reconcile: Reconciler<string>,
  options: ControllerOptions = {},
): ControllerDefinition<string> & { readonly source: ReturnType<typeof readySource> } {
  const source = readySource();
  return { name: "test", formatKey: (key) => key, sources: [source], source, reconcile, options };
}

/** Expects that the manager ends without an error and without an advance of the clock, and leaves no timer. */
export async function ends({ clock, running }: ManagerWorld): Promise<void> {
  await clock.settle();
  await running;
  expect(clock.pendingTimers).toEqual([]);
}
