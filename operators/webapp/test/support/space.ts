import type { World } from "@keelson/testkit";
import { findCondition, getIfThere, type KubeObject, type Resource } from "keelson";
import { Event } from "keelson/kinds/events/v1";
import { expect } from "vitest";
import { WebApp } from "../../src/api/web-app.ts";

/** A namespace of its own for one test, and what tests do there. */
export class Space {
  readonly namespace: string;
  readonly #world: World;

  private constructor(world: World, namespace: string) {
    this.#world = world;
    this.namespace = namespace;
  }

  static async create(world: World): Promise<Space> {
    return new Space(world, await world.createNamespace());
  }

  kubectl(...args: readonly string[]): Promise<string> {
    return this.#world.cluster.kubectl(["-n", this.namespace, ...args]);
  }

  /** What kubectl complains about. */
  async refusal(manifest: object): Promise<string> {
    const input = JSON.stringify(manifest);
    const { exitCode, stderr } = await this.#world.cluster.tryKubectl(
      ["-n", this.namespace, "apply", "-f", "-"],
      { input },
    );
    expect(exitCode, stderr).not.toBe(0);
    return stderr;
  }

  /** As a user does it; gives what kubectl printed. */
  async apply(name: string, spec: object, metadata: object = {}): Promise<string> {
    const input = JSON.stringify(manifestOf(name, spec, metadata));
    return this.#world.cluster.kubectl(["-n", this.namespace, "apply", "-f", "-"], { input });
  }

  get<T extends KubeObject>(resource: Resource<T>, name: string): Promise<T> {
    return this.#world.client.get(resource, { namespace: this.namespace, name });
  }

  find<T extends KubeObject>(resource: Resource<T>, name: string): Promise<T | undefined> {
    return getIfThere(this.#world.client, resource, { namespace: this.namespace, name });
  }

  /** Resolves when the operator has seen the last spec and tells this phase. */
  async reaches(name: string, phase: string): Promise<WebApp> {
    await expect
      .poll(async () => {
        const { metadata, status } = await this.get(WebApp, name);
        const isCurrent = status?.observedGeneration === metadata.generation;
        return isCurrent ? status?.phase : `${status?.phase} of an earlier spec`;
      })
      .toBe(phase);
    return this.get(WebApp, name);
  }

  /** Resolves when the condition is so, and for this reason. */
  async shows(name: string, type: string, status: string, reason: string): Promise<string> {
    const condition = async () => findCondition((await this.get(WebApp, name)).status?.conditions, type);
    await expect.poll(condition).toMatchObject({ status, reason });
    return (await condition())?.message ?? "";
  }

  /**
   * Resolves when no child is left. The real garbage collector looks for new kinds twice a minute: until it knows of
   * WebApps, it takes its time.
   */
  async isEmptied(): Promise<void> {
    await expect
      .poll(() => this.kubectl("get", "deployments,services,ingresses,hpa,pods", "-o", "name"), {
        timeout: 100_000,
      })
      .toBe("");
  }

  /** The reasons of the events about a WebApp, each once. */
  async eventReasons(name: string): Promise<readonly string[]> {
    const { items } = await this.#world.client.list(Event, { namespace: this.namespace });
    const own = items.filter(({ regarding }) => regarding?.kind === "WebApp" && regarding.name === name);
    return [...new Set(own.map(({ reason = "" }) => reason))].sort();
  }
}

export function manifestOf(name: string, spec: object, metadata: object = {}): object {
  return { apiVersion: "example.com/v1", kind: "WebApp", metadata: { ...metadata, name }, spec };
}
