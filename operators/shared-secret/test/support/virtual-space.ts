import { type RunningOperator, startWorld, VirtualClock, type VirtualWorld } from "@keelson/testkit";
import { type KubeObject, mergePatch, type OwnerReference, type Resource, type Stored } from "keelson";
import type { Transport } from "keelson/client";
import { Deployment, ReplicaSet, StatefulSet } from "keelson/kinds/apps/v1";
import { Pod, Secret } from "keelson/kinds/core/v1";
import { PodDisruptionBudget } from "keelson/kinds/policy/v1";
import { SecretAccess } from "../../src/api/secret-access.ts";
import { SharedSecret } from "../../src/api/shared-secret.ts";
import type { SharedSecretSpecInput } from "../../src/api/spec.ts";
import type { ConsumerStatus, SharedSecretStatus } from "../../src/api/status.ts";
import { sharedSecret } from "../../src/operator.ts";

/** Longer than pods need to start, and than a Deployment of one pod needs to be rolled out. */
const settleMs = 5_000;
const podSpec = { containers: [{ name: "app", image: "app" }] };

type ConsumerSpec = NonNullable<SecretAccess["spec"]["consumer"]>;

/** A world on a virtual clock with a SharedSecret operator, and the namespace of the current test. */
export class VirtualSpace implements AsyncDisposable {
  readonly world: VirtualWorld;
  #namespace = "";
  #operator: RunningOperator | undefined;
  /** Called before each write of the operator, with its path. */
  onWrite: (path: string) => Promise<void> = async () => {};

  private constructor(world: VirtualWorld) {
    this.world = world;
  }

  static async start(): Promise<VirtualSpace> {
    const clock = new VirtualClock({ startAt: Date.parse("2026-11-18T10:00:00Z") });
    const hollow = { terminationDelayMs: 3_000 };
    const space = new VirtualSpace(await startWorld({ clock, hollow }));
    await space.#startOperator();
    return space;
  }

  async #startOperator(): Promise<void> {
    const wrap = (transport: Transport): Transport => ({
      ...transport,
      send: async (request) => {
        if (request.method !== "GET") await this.onWrite(request.path);
        return transport.send(request);
      },
      close: () => transport.close(),
    });
    this.#operator = await this.world.runOperator(sharedSecret, { wrap });
  }

  /** Ends the operator like a killed process, and starts another one. */
  async restartOperator(): Promise<void> {
    await this.#operator?.kill();
    await this.#startOperator();
  }

  get namespace(): string {
    return this.#namespace;
  }

  get nowMs(): number {
    return this.world.clock.now();
  }

  /** Continues in a namespace of its own. */
  async enterNamespace(): Promise<void> {
    this.#namespace = await this.world.createNamespace();
  }

  /** Lets time pass; what is due happens in between. */
  async passes(ms: number): Promise<void> {
    await this.world.clock.advance(ms);
    await this.#operator?.idle();
  }

  /** Lets so much time pass that pods run and what was decided is in the status. */
  settled(): Promise<void> {
    return this.passes(settleMs);
  }

  /** The SharedSecret `db`, which is shared with these consumers. */
  async share(spec: SharedSecretSpecInput, ...consumers: readonly ConsumerSpec[]): Promise<void> {
    const { namespace, world } = this;
    const metadata = { namespace, name: "db" };
    await this.#approve({ secret: "db", permission: "Share", rotateSeconds: 0 });
    for (const consumer of consumers) await this.#approve({ secret: "db", permission: "ReadOnly", consumer });
    await world.client.create(SharedSecret, { metadata, spec });
    await this.settled();
  }

  async #approve(spec: SecretAccess["spec"]): Promise<void> {
    const { namespace, world } = this;
    const { metadata } = await world.client.create(SecretAccess, {
      metadata: { namespace, generateName: "db-" },
      spec,
    });
    await world.client.status(SecretAccess).patch(metadata, mergePatch({ status: { decision: "Approved" } }));
  }

  /** Changes the SharedSecret, without waiting. */
  async change(value: object): Promise<void> {
    await this.world.client.patch(SharedSecret, { namespace: this.namespace, name: "db" }, mergePatch(value));
  }

  /** Sets the flag of the seed, without waiting. */
  flag(): Promise<void> {
    return this.change({ podsRestartRequired: true });
  }

  /** Sets the flag by the status, without waiting. */
  async flagStatus(): Promise<void> {
    const key = { namespace: this.namespace, name: "db" };
    const patch = mergePatch({ status: { podsRestartRequired: true } });
    await this.world.client.status(SharedSecret).patch(key, patch);
  }

  async isFlagged(): Promise<boolean> {
    const { podsRestartRequired, status } = await this.get(SharedSecret, "db");
    return podsRestartRequired || status?.podsRestartRequired === true;
  }

  /** Writes another value, as a rotator does. */
  async writeValue(value: string): Promise<void> {
    const key = { namespace: this.namespace, name: "db-secret" };
    await this.world.client.patch(Secret, key, mergePatch({ stringData: { value } }));
  }

  async status(): Promise<SharedSecretStatus> {
    return (await this.get(SharedSecret, "db")).status ?? {};
  }

  /** What the status shows of a consumer, such as `Deployment/web`. */
  async consumer(name: string): Promise<Partial<ConsumerStatus>> {
    const { consumers = [] } = await this.status();
    return consumers.find(({ consumer }) => consumer === `${this.namespace}/${name}`) ?? {};
  }

  async deploy(name: string): Promise<void> {
    const { namespace, world } = this;
    await world.client.create(Deployment, { metadata: { namespace, name }, spec: workloadSpec(name) });
    await this.settled();
  }

  /** A StatefulSet whose pods are replaced when a user deletes them. */
  async deployOnDelete(name: string, replicas: number): Promise<void> {
    const { namespace, world } = this;
    const updateStrategy = { type: "OnDelete" as const };
    await world.client.create(StatefulSet, {
      metadata: { namespace, name },
      spec: { ...workloadSpec(name), replicas, updateStrategy },
    });
    await this.settled();
  }

  /** A ReplicaSet that belongs to nothing, with one pod that no eviction may disrupt. */
  async deployHeld(name: string): Promise<void> {
    const { namespace, world } = this;
    const metadata = { namespace, name };
    const spec = workloadSpec(name);
    await world.client.create(ReplicaSet, { metadata, spec });
    await world.client.create(PodDisruptionBudget, {
      metadata,
      spec: { minAvailable: 1, selector: spec.selector },
    });
    await this.settled();
  }

  /** A pod without a controller, unless one is given. */
  async createPod(name: string, controller?: Pick<OwnerReference, "apiVersion" | "kind">): Promise<void> {
    const { namespace, world } = this;
    const owner = controller && { ...controller, name, uid: "unknown", controller: true };
    const ownerReferences = owner === undefined ? [] : [owner];
    await world.client.create(Pod, {
      metadata: { namespace, name, labels: { app: name }, ownerReferences },
      spec: podSpec,
    });
    await this.settled();
  }

  async deletePod(name: string): Promise<void> {
    await this.world.client.delete(Pod, { namespace: this.namespace, name });
    await this.settled();
  }

  /** The uids of pods by the name of their workload. */
  async podsOf(app: string): Promise<readonly string[]> {
    const { namespace, world } = this;
    const { items } = await world.client.list(Pod, { namespace, labelSelector: `app=${app}` });
    return items.map(({ metadata }) => metadata.uid);
  }

  /** How often the template of a Deployment was changed. */
  async rolloutsOf(name: string): Promise<number> {
    return ((await this.get(Deployment, name)).metadata.generation ?? 1) - 1;
  }

  get<T extends KubeObject>(resource: Resource<T>, name: string): Promise<Stored<T>> {
    return this.world.client.get(resource, { namespace: this.namespace, name });
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.world.stop();
  }
}

function workloadSpec(app: string) {
  const labels = { app };
  return {
    replicas: 1,
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: podSpec },
  };
}
