import { Space } from "@keelson/testkit";
import { Job } from "keelson/kinds/batch/v1";
import { Pod } from "keelson/kinds/core/v1";
import { expect } from "vitest";
import { BackUp } from "../../src/api/back-up.ts";
import type { BackUpSpecInput } from "../../src/api/spec.ts";

/** Pods that run until they are ended. */
export const endless = { podAnnotations: { "hollow.keelson.dev/run": "forever" } };
/** Pods that fail at once. */
export const failing = { podAnnotations: { "hollow.keelson.dev/exit-code": "1" }, retries: 0 };

/** A namespace of its own for one test, and what tests do there with BackUps. */
export class BackUpSpace extends Space {
  create(
    name: string,
    spec: BackUpSpecInput,
    annotations: Readonly<Record<string, string>> = {},
  ): Promise<BackUp> {
    return this.world.client.create(BackUp, {
      metadata: { namespace: this.namespace, name, annotations },
      spec,
    });
  }

  /** As `kubectl patch` does it. */
  async change(name: string, spec: object, metadata: object = {}): Promise<void> {
    await this.kubectl("patch", "bks", name, "--type=merge", "-p", JSON.stringify({ metadata, spec }));
  }

  jobs(): Promise<readonly Job[]> {
    return this.list(Job);
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
      return [...(await this.jobs()), ...(await this.list(Pod))].map(({ metadata }) => metadata.name ?? "");
    };
    await expect.poll(left, { timeout: 90_000 }).toEqual([]);
  }

  /** Resolves when the operator has seen the last spec and tells this phase. */
  async reaches(name: string, phase: string): Promise<BackUp> {
    await expect.poll(() => this.phaseOf(BackUp, name)).toBe(phase);
    return this.get(BackUp, name);
  }

  /** Resolves when the condition is so, and for this reason; gives its message. */
  async shows(name: string, type: string, status: string, reason: string): Promise<string> {
    await expect.poll(() => this.conditionOf(BackUp, name, type)).toMatchObject({ status, reason });
    return (await this.conditionOf(BackUp, name, type))?.message ?? "";
  }

  /** The events about a BackUp, as type and reason. */
  eventsOf(name: string): Promise<readonly string[]> {
    return this.eventsAbout(BackUp, name);
  }
}
