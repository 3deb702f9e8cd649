import { type Client, type ClusterAccess, type Environment, listenHttp } from "@keelson/client";
import type { ApiUse, Clock, Random } from "@keelson/core";
import { abortable, aborted, systemClock, systemRandom, toError } from "@keelson/core";
import { namespacesOf } from "../cache/cache-settings.ts";
import { InformerCache } from "../cache/informer-cache.ts";
import type { Controller } from "../controller/controller.ts";
import type { ControllerDefinition } from "../controller/controller-definition.ts";
import { type EventRecorder, noEvents } from "../controller/event-recorder.ts";
import { Hooks } from "../hooks.ts";
import { LeadershipLostError } from "../leader/errors.ts";
import type { Logger } from "../logger.ts";
import { steadyLogger } from "../steady-logger.ts";
import type { HealthCheck, HealthCheckOptions } from "../telemetry/health/health-checks.ts";
import { createMetrics, type Metrics } from "../telemetry/metrics/metrics.ts";
import { ControllerFactory, managerClients } from "./controller-factory.ts";
import { Election } from "./election.ts";
import { WebhooksNotServedError } from "./errors.ts";
import { httpServers } from "./http-servers.ts";
import { ManagerHealth } from "./manager-health.ts";
import { FirstFailure, firstLineOf, type LifeState, ManagerLife, throwJoined } from "./manager-life.ts";
import type { ManagerOptions, ServerName } from "./manager-options.ts";
import { ManagerPermissions } from "./permissions/manager-permissions.ts";
import { ControllerQueueAges } from "./queue-ages.ts";
import { cacheRunnable, controllerRunnable, type Runnable } from "./runnable.ts";
import { RunnableGroups } from "./runnable-groups.ts";
import { flushEvents, shutDown } from "./shutdown.ts";
import { ManagerWebhooks, type WebhookSet } from "./webhooks.ts";

const defaultGraceMs = 30_000;

/**
 * Runs controllers and their dependencies in one process: caches, leader election, webhooks, health, metrics. A
 * dependency starts before the parts that need it, and stops after them:
 *
 * | order | start [MG1] | stop [MG2] |
 * |---|---|---|
 * | 1 | HTTP servers | runnables of every replica, and warm-ups |
 * | 2 | webhooks | runnables of the leader |
 * | 3 | caches, until they have synced | caches |
 * | 4 | runnables of every replica | webhooks |
 * | 5 | warm-ups | HTTP servers |
 * | 6 | leader election | the Lease is released |
 * | 7 | once elected: runnables of the leader | Events are sent |
 *
 * A manager runs once.
 */
export class Manager {
  /** The cache of all controllers; indexes are added here. */
  readonly cache: InformerCache;
  /** Reads from the cache. Refuses writes if another replica may lead [LE12], so it is for the work of a leader. */
  readonly client: Client;
  /** As `client`, but reads from the server. */
  readonly liveClient: Client;
  /** Reads from the cache and writes, whether this replica leads or not: for the work of every replica. */
  readonly replicaClient: Client;
  /** How the API server is reached, and the environment, for programs that connect by themselves; see ManagerOptions. */
  readonly access: ClusterAccess | undefined;
  readonly env: Environment;
  readonly events: EventRecorder;
  /** Where its parts take time, random numbers and the log from; runnables of an operator, too. */
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** The namespaces that its cache is limited to; undefined if it is not. */
  readonly namespaces: readonly string[] | undefined;
  /** For metrics of your own: `metrics.registry`. */
  readonly metrics: Metrics;
  /** Resolves when this replica leads; without an election, right after the start. */
  readonly elected: Promise<void>;
  readonly #options: ManagerOptions;
  readonly #hooks: Hooks;
  readonly #life = new ManagerLife();
  readonly #failures: FirstFailure;
  readonly #groups: RunnableGroups;
  readonly #controllers: ControllerFactory;
  readonly #election: Election | undefined;
  readonly #webhooks: ManagerWebhooks | undefined;
  readonly #health: ManagerHealth;
  readonly #permissions: ManagerPermissions;
  readonly #elected = Promise.withResolvers<void>();
  /** Aborts, with the reason, when the stop begins. */
  readonly #stop = new AbortController();
  /** Aborts when another replica may lead, so that the shutdown must not wait any longer [MG7]. */
  readonly #lost = new AbortController();

  /** Throws an InvalidElectionError or an InvalidCacheSettingsError. */
  constructor(options: ManagerOptions) {
    const { client, clock = systemClock, random = systemRandom } = options;
    const log = steadyLogger(options.log);
    const { gathered, aliases, port = 0 } = options.metrics ?? {};
    this.#options = options;
    this.access = options.access;
    this.env = options.env ?? {};
    this.namespaces = namespacesOf(options.cache);
    this.clock = clock;
    this.random = random;
    this.log = log;
    this.#hooks = new Hooks(log);
    this.metrics =
      gathered ??
      createMetrics({ clock, log, processMetrics: port >= 0, ...(aliases !== undefined && { aliases }) });
    this.events = options.events ?? noEvents;
    this.#permissions = new ManagerPermissions(options, { client, log });
    this.elected = this.#elected.promise;
    this.#failures = new FirstFailure(log, (error) => this.#beginStop(error));
    this.#groups = new RunnableGroups((runnable, error) => this.#recordFailure(runnable, error));
    this.cache = new InformerCache({
      ...{ client, clock, random, log },
      ...(options.cache !== undefined && { settings: options.cache }),
      onStaleRead: this.metrics.onStaleRead,
    });
    this.metrics.observeInformers(() => this.cache.statuses);
    this.#election = this.#makeElection();
    const clients = managerClients(client, this.cache, this.#election?.leadership);
    this.client = clients.leader.cached;
    this.liveClient = clients.leader.live;
    this.replicaClient = clients.everyReplica.cached;
    const { cache, events } = this;
    const queueAges = new ControllerQueueAges(clock);
    this.#health = new ManagerHealth(options.health ?? {}, {
      ...{ clock, log, cache, queueAges, life: this.#life },
      leadership: this.#election?.leadership,
    });
    this.#controllers = new ControllerFactory({
      ...{ clients, cache, clock, random, log, events },
      observer: queueAges.observer(this.metrics.controllers),
      concurrency: options.concurrency,
      tracer: options.tracer,
    });
    this.#webhooks = this.#makeWebhooks();
    this.#groups.caches.add(cacheRunnable(this.cache));
  }

  get state(): LifeState {
    return this.#life.state;
  }

  /** The kinds that its controllers reconcile, as `concurrency.byKind` names them, such as `WebApp.example.com`. */
  get kinds(): readonly string[] {
    return this.#controllers.kinds;
  }

  /**
   * Adds a controller or a runnable. Before the start it waits for its turn, after it it starts at once, and when the stop
   * has begun it is refused with a ManagerStoppedError [MG5].
   */
  add<Key>(definition: ControllerDefinition<Key>): Controller<Key>;
  add<Key, Settings>(
    definition: ControllerDefinition<Key, Settings>,
    settings: Settings,
  ): Controller<Key, Settings>;
  add(runnable: Runnable): void;
  add<Key, Settings>(
    added: ControllerDefinition<Key, Settings | undefined> | Runnable,
    settings?: Settings,
  ): Controller<Key, Settings | undefined> | undefined {
    this.#life.requireNotStopping(`add ${added.name}`);
    if ("run" in added) {
      this.#groups.addRunnable(added);
      return undefined;
    }
    const controller = this.#controllers.make(added, settings);
    this.#permissions.addSources(controller.name, added.sources);
    this.#permissions.add(`controller ${controller.name}`, added.uses ?? []);
    this.#groups.addRunnable(controllerRunnable(controller, added.options));
    return controller;
  }

  /** Adds webhooks. Only before the start. Throws a WebhooksNotServedError if the options have no `webhooks`. */
  addWebhooks(webhooks: WebhookSet): void {
    this.#life.requireNew("add webhooks");
    if (this.#webhooks === undefined) throw new WebhooksNotServedError();
    this.#webhooks.add(webhooks);
  }

  /** Adds a check to `/healthz`: while it fails, the process should be restarted. Only before the start [MG8]. */
  addLivenessCheck(name: string, check: HealthCheck, options?: HealthCheckOptions): void {
    this.#life.requireNew(`add liveness check ${name}`);
    this.#health.live.add(name, check, options);
  }

  /** Adds a check to `/readyz`: while it fails, the process should receive no work. Only before the start [MG8]. */
  addReadinessCheck(name: string, check: HealthCheck, options?: HealthCheckOptions): void {
    this.#life.requireNew(`add readiness check ${name}`);
    this.#health.ready.add(name, check, options);
  }

  /** Declares uses of the API, so that the manager checks at its start whether they are allowed. Only before the start. */
  declareUses(neededBy: string, uses: readonly ApiUse[]): void {
    this.#life.requireNew(`declare the uses of ${neededBy}`);
    this.#permissions.add(neededBy, uses);
  }

  /**
   * Runs everything until the signal aborts, and resolves when all of it has ended. Rejects with the error of a runnable,
   * with a LeadershipLostError, a MissingPermissionsError, or a GraceExceededError; with an AggregateError if the grace
   * period was exceeded after another error [MG3, MG4].
   */
  async run(signal: AbortSignal): Promise<void> {
    this.#life.start();
    const stop = (): void => this.#beginStop(signal.reason);
    signal.addEventListener("abort", stop, { once: true });
    if (signal.aborted) stop();
    this.log.info("manager starts");
    await this.#start();
    await aborted(this.#stop.signal);
    signal.removeEventListener("abort", stop);
    await this.#end();
  }

  async #start(): Promise<void> {
    const { signal } = this.#stop;
    const { http, webhooks, caches, everyReplica, warmUps } = this.#groups;
    const steps: readonly (() => Promise<void>)[] = [
      () => http.start(),
      () => this.#checkPermissions(signal),
      () => webhooks.start(),
      () => caches.start(),
      () => everyReplica.start(),
      () => warmUps.start(),
    ];
    try {
      this.#addServers();
      for (const step of steps) {
        signal.throwIfAborted();
        await abortable(step(), signal);
      }
      this.#startElection();
    } catch (error) {
      if (!signal.aborted) this.#recordFailure("start", toError(error));
    }
  }

  /** Takes part in the election, now that everything that needs no leadership runs. */
  #startElection(): void {
    if (!this.#life.moveTo("running")) return;
    if (this.#election === undefined) this.#lead();
    else this.#election.begin();
  }

  #lead(): void {
    // A replica that is elected while it stops does not begin to lead [MG6].
    if (!this.#life.moveTo("leading")) return;
    this.#elected.resolve();
    void this.#groups.leader.start();
  }

  async #end(): Promise<void> {
    const { graceMs = defaultGraceMs, events, metrics } = this.#options;
    const { reason } = this.#stop.signal;
    this.log.info("manager stops", { reason: firstLineOf(toError(reason)) });
    const { error, unfinished } = await shutDown({
      ...{ groups: this.#groups, election: this.#election, clock: this.clock, graceMs, reason },
      lost: this.#lost.signal,
    });
    if (events !== undefined) await flushEvents(events, this.clock, this.log);
    if (metrics?.gathered === undefined) this.metrics[Symbol.dispose]();
    this.#life.moveTo("stopped");
    this.log.info("manager stopped", { unfinished });
    throwJoined([this.#failures.error, error]);
  }

  #beginStop(reason: unknown): void {
    if (!this.#life.moveTo("stopping")) return;
    this.#failures.end();
    this.#stop.abort(reason);
  }

  #recordFailure(part: string, error: Error): void {
    // Once the runnables of the leader have ended, a lost Lease is no reason to cut the shutdown short.
    const leads = !this.#life.isStoppingOrStopped || this.#groups.leader.running.length > 0;
    if (error instanceof LeadershipLostError && leads) this.#lost.abort(error);
    this.#failures.record(part, error, this.#stop.signal.reason);
  }

  #addServers(): void {
    const { metrics } = this;
    const servers = httpServers(this.#options, {
      ...{ metrics, clock: this.clock, health: this.#health, causalLogs: this.#controllers.causalLogs },
      onListening: (server, port) => this.#onListening(server, port),
    });
    for (const server of servers) this.#groups.http.add(server);
    const webhooks = this.#webhooks?.runnable();
    if (webhooks !== undefined) this.#groups.webhooks.add(webhooks);
  }

  async #checkPermissions(signal: AbortSignal): Promise<void> {
    const late = { lease: this.#election?.rules.lease, webhooks: this.#webhooks?.uses ?? [] };
    await this.#permissions.check(late, signal);
  }

  #makeElection(): Election | undefined {
    const { client, leaderElection = false } = this.#options;
    if (leaderElection === false) return undefined;
    return new Election(leaderElection, {
      ...{ client, clock: this.clock, random: this.random, log: this.log, events: this.events },
      observer: this.metrics.leader(leaderElection.lease.name),
      onElected: () => this.#lead(),
      onFailed: (error) => this.#recordFailure("leader election", error),
    });
  }

  #makeWebhooks(): ManagerWebhooks | undefined {
    const { client, webhooks, listen = listenHttp } = this.#options;
    if (webhooks === undefined) return undefined;
    return new ManagerWebhooks(webhooks, {
      ...{ client, cachedClient: this.replicaClient, listen },
      ...{ clock: this.clock, log: this.log, metrics: this.metrics },
      namespaces: this.namespaces,
      onListening: (port) => this.#onListening("webhooks", port),
    });
  }

  #onListening(server: ServerName, port: number): void {
    this.log.info("listening", { server, port });
    this.#hooks.notify("onListening", () => this.#options.onListening?.(server, port));
  }
}
