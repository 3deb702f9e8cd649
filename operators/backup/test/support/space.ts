import type { World } from "@keelson/testkit";
import { findCondition, getIfThere, type KubeObject, type Resource } from "keelson";
import { Job } from "keelson/kinds/batch/v1";
import { Pod } from "keelson/kinds/core/v1";
import { Event } from "keelson/kinds/events/v1";
import { expect } from "vitest";
import { BackUp } from "../../src/api/back-up.ts";
import type { BackUpSpecInput } from "../../src/api/spec.ts";

/** Pods that run until they are ended. */
export const endless = { podAnnotations: { "hollow.keelson.dev/run": "forever" } };
/** Pods that fail at once. */
export const failing = { podAnnotations: { "hollow.keelson.dev/exit-code": "1" }, retries: 0 };

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

  create(
    name: string,
    spec: BackUpSpecInput,
    annotations: Readonly<Record<string, string>> = {},
  ): Promise<BackUp> {
    return this.#world.client.create(BackUp, {
      metadata: { namespace: this.namespace, name, annotations },
      spec,
    });
  }

  /** As `kubectl patch` does it. */
  async change(name: string, spec: object, metadata: object = {}): Promise<void> {
    await this.kubectl("patch", "bks", name, "--type=merge", "-p", JSON.stringify({ metadata, spec }));
  }

  get<T extends KubeObject>(resource: Resource<T>, name: string): Promise<T> {
    return this.#world.client.get(resource, { namespace: this.namespace, name });
  }

  find<T extends KubeObject>(resource: Resource<T>, name: string): Promise<T | undefined> {
    return getIfThere(this.#world.client, resource, { namespace: this.namespace, name });
  }

  async jobs(): Promise<readonly Job[]> {
    return (await this.#world.client.list(Job, { namespace: this.namespace })).items;
  }

  /** Lets the workers of a Job end well that would run for ever. */
  async endRun(job: string): Promise<void> {
    await expect.poll(async () => (await this.get(Job, job)).status?.active ?? 0).toBeGreaterThan(0);
    await this.kubectl(
      ...["annotate", "pods", "--overwrite", `--selector=batch.kubernetes.io/job-name=${job}`],
      "hollow.keelson.dev/run=1s",
    );
  }

  /** Resolves when neither Jobs nor pods are left. A garbage collector may need its time to learn of a new kind. */
  async isEmptied(): Promise<void> {
    const left = async (): Promise<readonly string[]> => {
      const { items } = await this.#world.client.list(Pod, { namespace: this.namespace });
      return [...(await this.jobs()), ...items].map(({ metadata }) => metadata.name ?? "");
    };
    await expect.poll(left, { timeout: 90_000 }).toEqual([]);
  }

  /** Resolves when the operator has seen the last spec and tells this phase. */
  async reaches(name: string, phase: string): Promise<BackUp> {
    await expect
      .poll(async () => {
        const { metadata, status } = await this.get(BackUp, name);
        const isCurrent = status?.observedGeneration === metadata.generation;
        return isCurrent ? status?.phase : `${status?.phase} of an earlier spec`;
      })
      .toBe(phase);
    return this.get(BackUp, name);
  }

  /** Resolves when the condition is so, and for this reason; gives its message. */
  async shows(name: string, type: string, status: string, reason: string): Promise<string> {
    const condition = async () => findCondition((await this.get(BackUp, name)).status?.conditions, type);
    await expect.poll(condition).toMatchObject({ status, reason });
    return (await condition())?.message ?? "";
  }

  /** The events about a BackUp, as type and reason. */
  async eventsOf(name: string): Promise<readonly string[]> {
    const { items } = await this.#world.client.list(Event, { namespace: this.namespace });
    const own = items.filter(({ regarding }) => regarding?.kind === "BackUp" && regarding.name === name);
    return [...new Set(own.map(({ type = "", reason = "" }) => `${type} ${reason}`))].sort();
  }
}
