import {
  Channel,
  type Client,
  type Clock,
  cacheKind,
  type EventRecorder,
  keyOf,
  type Logger,
  type ObjectKey,
  type Random,
} from "keelson";
import { cachedClient, InformerCache, type InformerEvent, type InformerLease } from "keelson/cache";
import { Controller } from "keelson/controller";
import { Pod } from "keelson/kinds/core/v1";
import { abortable, toError } from "keelson/low-level";
import { UnknownNodeError } from "./errors.ts";
import type { HollowNodes, SetReadyOptions } from "./hollow-nodes.ts";
import type { NodeAgent } from "./node/node-agent.ts";
import { isWaitingForPull } from "./pod/container-status.ts";
import { type PodWorld, podController } from "./pod/pod-controller.ts";
import { PodMemory, PullRules } from "./pod/pod-memory.ts";
import { slicePod } from "./pod/pod-slice.ts";
import type { PodTiming } from "./pod/situation.ts";

export interface RunningHollowNodesOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly events?: EventRecorder;
  readonly agents: readonly NodeAgent[];
  readonly timing: PodTiming;
  readonly removeNodes: boolean;
}

/** The agents of the nodes and the controller of their pods, started and stopped together. */
export class RunningHollowNodes implements HollowNodes {
  readonly #options: RunningHollowNodesOptions;
  readonly #agents: ReadonlyMap<string, NodeAgent>;
  readonly #stopping = new AbortController();
  readonly #pulls = new PullRules();
  readonly #memory = new PodMemory();
  readonly #cache: InformerCache;
  readonly #pods: InformerLease<Pod>;
  /** Pods that must be looked at again although nothing has happened to them. */
  readonly #again = new Channel<ObjectKey>();
  readonly #registered = Promise.withResolvers<void>();
  readonly #ended = Promise.withResolvers<void>();
  #stopped: Promise<void> | undefined;

  constructor(options: RunningHollowNodesOptions) {
    const { client, clock, agents } = options;
    this.#options = options;
    this.#agents = new Map(agents.map((agent) => [agent.settings.name, agent]));
    const kinds = [cacheKind(Pod, { fieldSelector: podsOn(this.names), transform: slicePod })];
    this.#cache = new InformerCache({ client, clock, settings: { kinds } });
    this.#pods = this.#cache.acquire(Pod);
    // Who does not look at `ended` learns of a failure from the log and from `stop`.
    this.#ended.promise.catch(() => undefined);
  }

  get names(): readonly string[] {
    return [...this.#agents.keys()];
  }

  get ended(): Promise<void> {
    return this.#ended.promise;
  }

  /** Returns when the nodes are ready. If that fails, what was made is removed. */
  async start(signal: AbortSignal | undefined): Promise<void> {
    const stopping =
      signal === undefined ? this.#stopping.signal : AbortSignal.any([signal, this.#stopping.signal]);
    void this.#run();
    try {
      const registering = [...this.#agents.values()].map((agent) => agent.setState("ready", stopping));
      await Promise.race([this.ended, Promise.all(registering)]);
      this.#registered.resolve();
    } catch (error) {
      // The first failure explains more than the failed clean-up.
      await this.stop().catch(() => undefined);
      throw error;
    }
  }

  async setReady(name: string, isReady: boolean, { mode = "report" }: SetReadyOptions = {}): Promise<void> {
    const agent = this.#agents.get(name);
    if (agent === undefined) throw new UnknownNodeError(name, this.names);
    const unready = mode === "silent" ? "silent" : "notReady";
    await agent.setState(isReady ? "ready" : unready, this.#stopping.signal);
    if (isReady) await this.#lookAgain((pod) => pod.spec?.nodeName === name);
  }

  failPulls(pattern: string): void {
    this.#pulls.fail(pattern);
  }

  allowPulls(pattern?: string): void {
    this.#pulls.allow(pattern);
    void this.#lookAgain(({ status = {} }) =>
      [...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? [])].some(isWaitingForPull),
    );
  }

  stop(): Promise<void> {
    this.#stopping.abort(new Error("the hollow nodes were stopped"));
    this.#stopped ??= this.#stop();
    return this.#stopped;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  async #stop(): Promise<void> {
    const { removeNodes } = this.#options;
    const [end] = await Promise.allSettled([this.ended]);
    if (removeNodes) await Promise.all([...this.#agents.values()].map((agent) => agent.remove()));
    if (end.status === "rejected") throw end.reason;
  }

  /** Ends when all parts have ended; the first that fails ends the rest. */
  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    const parts = [
      this.#cache.run(signal),
      this.#tendPods(signal),
      ...[...this.#agents.values()].map((agent) => agent.run(signal)),
    ];
    let failure: Error | undefined;
    const watched = parts.map((part) =>
      part.catch((caught: unknown) => {
        if (signal.aborted) return;
        failure = toError(caught);
        this.#options.log.error(`run hollow nodes: ${failure.message}; they stop`, { error: failure });
        this.#stopping.abort(failure);
      }),
    );
    await Promise.all(watched);
    this.#again.close();
    if (failure === undefined) this.#ended.resolve();
    else this.#ended.reject(failure);
  }

  async #tendPods(signal: AbortSignal): Promise<void> {
    const { client, clock, random, log, events, timing } = this.#options;
    const subscription = this.#pods.subscribe((event) => this.#remember(event));
    // No address may be given away before all that are in use are known.
    await subscription.synced(signal);
    // A node that is not registered reconciles no pod, and nothing would enqueue the pod later.
    await abortable(this.#registered.promise, signal);
    const world: PodWorld = {
      clock,
      timing,
      pulls: this.#pulls,
      memory: this.#memory,
      nodeOf: (name) => {
        const agent = this.#agents.get(name);
        return agent === undefined ? undefined : { address: agent.settings.address, state: agent.state };
      },
    };
    const controller = new Controller(
      podController(world, this.#again),
      {
        client,
        cachedClient: cachedClient(client, this.#cache),
        cache: this.#cache,
        clock,
        random,
        log,
        ...(events !== undefined && { events }),
      },
      undefined,
    );
    await controller.run(signal);
  }

  #remember(event: InformerEvent<Pod>): void {
    const isAnother = event.type === "update" && event.old.metadata.uid !== event.object.metadata.uid;
    if (isAnother) this.#memory.forget(event.old);
    if (event.type === "delete") this.#memory.forget(event.object);
    else this.#memory.see(event.object);
  }

  async #lookAgain(isConcerned: (pod: Pod) => boolean): Promise<void> {
    const { signal } = this.#stopping;
    for (const pod of this.#pods.list().filter(isConcerned)) {
      if (signal.aborted) return;
      // A stop on the way leaves nothing to look at.
      await this.#again.send(keyOf(pod), signal).catch(() => undefined);
    }
  }
}

/** One node watches its own pods, as a kubelet does; several share one watch of all pods that have a node. */
function podsOn(names: readonly string[]): string {
  const [only] = names;
  return names.length === 1 && only !== undefined ? `spec.nodeName=${only}` : "spec.nodeName!=";
}
