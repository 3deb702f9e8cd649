import { find } from "@keelson/client";
import { type Condition, findCondition, type KubeObject, type Resource, type Stored } from "@keelson/core";
import { Event } from "@keelson/core/kinds/events/v1";
import { AcceptedError } from "../errors.ts";
import type { World } from "./start-world.ts";

/** The status fields that most kinds have. */
interface CommonStatus {
  readonly observedGeneration?: number | undefined;
  readonly phase?: string | undefined;
  readonly conditions?: readonly Condition[] | undefined;
}

type WithCommonStatus = KubeObject & { readonly status?: CommonStatus | undefined };

/** A namespace of its own for one test, and what tests do there. Those of an operator add what its kinds need. */
export class Space {
  readonly world: World;
  readonly namespace: string;

  constructor(world: World, namespace: string) {
    this.world = world;
    this.namespace = namespace;
  }

  static async create<S extends Space>(
    this: new (
      world: World,
      namespace: string,
    ) => S,
    world: World,
  ): Promise<S> {
    return new this(world, await world.createNamespace());
  }

  /** Gives what it printed. */
  kubectl(...args: readonly string[]): Promise<string> {
    return this.world.cluster.kubectl(["-n", this.namespace, ...args]);
  }

  /** As a user does it; gives what kubectl printed. */
  applyManifest(manifest: object): Promise<string> {
    const input = JSON.stringify(manifest);
    return this.world.cluster.kubectl(["-n", this.namespace, "apply", "-f", "-"], { input });
  }

  /** What kubectl complains about. Throws an AcceptedError if it does not. */
  async refusal(manifest: object): Promise<string> {
    const input = JSON.stringify(manifest);
    const args = ["-n", this.namespace, "apply", "-f", "-"];
    const { exitCode, stdout, stderr } = await this.world.cluster.tryKubectl(args, { input });
    if (exitCode === 0) throw new AcceptedError(stdout);
    return stderr;
  }

  get<T extends KubeObject>(resource: Resource<T>, name: string): Promise<Stored<T>> {
    return this.world.client.get(resource, { namespace: this.namespace, name });
  }

  /** Undefined if there is none. */
  async find<T extends KubeObject>(resource: Resource<T>, name: string): Promise<Stored<T> | undefined> {
    return find(this.world.client, resource, { namespace: this.namespace, name });
  }

  async list<T extends KubeObject>(resource: Resource<T>): Promise<readonly Stored<T>[]> {
    return (await this.world.client.list(resource, { namespace: this.namespace })).items;
  }

  /** What the status reports for the current generation of the spec, or that it describes an earlier one. */
  async phaseOf(resource: Resource<WithCommonStatus>, name: string): Promise<string> {
    const { metadata, status } = await this.get(resource, name);
    const isCurrent = status?.observedGeneration === metadata.generation;
    return isCurrent ? `${status?.phase}` : `${status?.phase} of an earlier spec`;
  }

  async conditionOf(
    resource: Resource<WithCommonStatus>,
    name: string,
    type: string,
  ): Promise<Condition | undefined> {
    return findCondition((await this.get(resource, name)).status?.conditions, type);
  }

  /** The Events about an object, each kind of them once, as `Warning NameTaken`. */
  async eventsAbout({ kind }: Resource, name: string): Promise<readonly string[]> {
    const own = (await this.list(Event)).filter(
      ({ regarding }) => regarding?.kind === kind && regarding.name === name,
    );
    return [...new Set(own.map(({ type = "", reason = "" }) => `${type} ${reason}`))].sort();
  }
}
