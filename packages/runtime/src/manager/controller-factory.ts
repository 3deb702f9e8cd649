import type { Client } from "@keelson/client";
import type { Clock, Random } from "@keelson/core";
import type { Cache } from "../cache/cache.ts";
import { cachedClient } from "../cache/cached-client.ts";
import type { InformerCache } from "../cache/informer-cache.ts";
import type { CausalLog } from "../controller/causal/causal-log.ts";
import { Controller } from "../controller/controller.ts";
import {
  type ConcurrencyDefaults,
  type ControllerDefinition,
  groupKindOf,
} from "../controller/controller-definition.ts";
import type { ControllerDependencies } from "../controller/controller-dependencies.ts";
import { ControllerNames } from "../controller/controller-names.ts";
import type { ControllerObserver } from "../controller/controller-observer.ts";
import type { EventRecorder } from "../controller/event-recorder.ts";
import type { ControllerTracer } from "../controller/run-tracer.ts";
import type { Leadership } from "../leader/lease-term.ts";
import { guardWrites } from "../leader/write-guard.ts";
import type { Logger } from "../logger.ts";

/** A client that reads from the server, and one that reads from the cache; both write to the server. */
interface ClientPair {
  readonly live: Client;
  readonly cached: Client;
}

/** The clients of a manager, by the replicas that may use them. */
export interface ManagerClients {
  /** For the work of the leader: refuses a write if another replica may lead [LE12]. */
  readonly leader: ClientPair;
  /** For the work of every replica. */
  readonly everyReplica: ClientPair;
}

export function managerClients(
  live: Client,
  cache: InformerCache,
  leadership: Leadership | undefined,
): ManagerClients {
  const pairOf = (client: Client): ClientPair => ({ live: client, cached: cachedClient(client, cache) });
  const everyReplica = pairOf(live);
  const leader = leadership === undefined ? everyReplica : pairOf(guardWrites(live, leadership));
  return { leader, everyReplica };
}

export interface ControllerFactoryOptions {
  readonly clients: ManagerClients;
  readonly cache: Cache;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly events: EventRecorder;
  readonly observer: ControllerObserver;
  readonly concurrency: ConcurrencyDefaults | undefined;
  readonly tracer: ControllerTracer | undefined;
}

/** Creates the controllers of a manager with the dependencies that they share. */
export class ControllerFactory {
  readonly #options: ControllerFactoryOptions;
  readonly #names = new ControllerNames();
  readonly #causalLogs: Map<string, CausalLog> = new Map();
  readonly #kinds: Set<string> = new Set();

  constructor(options: ControllerFactoryOptions) {
    this.#options = options;
  }

  /** By the name of the controller. */
  get causalLogs(): ReadonlyMap<string, CausalLog> {
    return this.#causalLogs;
  }

  /** The kinds that the controllers reconcile, each once, such as `WebApp.example.com`. */
  get kinds(): readonly string[] {
    return [...this.#kinds];
  }

  /** Throws an InvalidControllerError, or a DuplicateControllerNameError. */
  make<Key, Settings>(
    definition: ControllerDefinition<Key, Settings>,
    settings: Settings,
  ): Controller<Key, Settings> {
    const { clients, concurrency, tracer, ...shared } = this.#options;
    const { needsLeadership = true } = definition.options;
    const { live, cached } = needsLeadership ? clients.leader : clients.everyReplica;
    const dependencies: ControllerDependencies = {
      ...shared,
      client: live,
      cachedClient: cached,
      names: this.#names,
      ...(concurrency !== undefined && { concurrency }),
      ...(tracer !== undefined && { tracer }),
    };
    const controller = new Controller(definition, dependencies, settings);
    this.#causalLogs.set(controller.name, controller.causalLog);
    if (definition.kind !== undefined) this.#kinds.add(groupKindOf(definition.kind));
    return controller;
  }
}
