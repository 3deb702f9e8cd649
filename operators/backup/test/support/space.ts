import { Space } from "@keelson/testkit";
import type { Stored } from "keelson";
import { Job } from "keelson/kinds/batch/v1";
import { Pod } from "keelson/kinds/core/v1";
import { expect } from "vitest";
import { BackUp } from "../../src/api/back-up.ts";
import type { BackUpSpecInput } from "../../src/api/spec.ts";

/** Pods that run until they are deleted or `endRun` ends them. */
export const endless = { podAnnotations: { "hollow.keelson.dev/run": "forever" } };
/** Pods that fail at once. */
export const failing = { podAnnotations: { "hollow.keelson.dev/exit-code": "1" }, retries: 0 };

/** A namespace for one test, with operations on BackUps. */
export class BackUpSpace extends Space {
  create(
    name: string,
    spec: BackUpSpecInput,
    annotations: Readonly<Record<string, string>> = {},
  ): Promise<Stored<BackUp>> {
    return this.world.client.create(BackUp, {
      metadata: { namespace: this.namespace, name, annotations },
      spec,
    });
  }

  /** Changes a BackUp by `kubectl patch`. */
  async change(name: string, spec: object, metadata: object = {}): Promise<void> {
    await this.kubectl("patch", "bks", name, "--type=merge", "-p", JSON.stringify({ metadata, spec }));
  }

  jobs(): Promise<readonly Stored<Job>[]> {
    return this.list(Job);
  }

  /** Lets the endless workers of a Job succeed. */
  async endRun(job: string): Promise<void> {
    await expect.poll(async () => (await this.get(Job, job)).status?.active ?? 0).toBeGreaterThan(0);
    await this.kubectl(
      ...["annotate", "pods", "--overwrite", `--selector=batch.kubernetes.io/job-name=${job}`],
      "hollow.keelson.dev/run=1s",
    );
  }

  /** Resolves when no Jobs and no pods are left. The garbage collector may need some time to discover a new kind. */
  async isEmptied(): Promise<void> {
    const left = async (): Promise<readonly string[]> => {
      return [...(await this.jobs()), ...(await this.list(Pod))].map(({ metadata }) => metadata.name);
    };
    await expect.poll(left, { timeout: 90_000 }).toEqual([]);
  }

  /** Resolves when the status describes the last spec and has this phase. */
  async reaches(name: string, phase: string): Promise<Stored<BackUp>> {
    await expect.poll(() => this.phaseOf(BackUp, name)).toBe(phase);
    return this.get(BackUp, name);
  }

  /** Resolves with the message of a condition when it has this status and reason. */
  async shows(name: string, type: string, status: string, reason: string): Promise<string> {
    await expect.poll(() => this.conditionOf(BackUp, name, type)).toMatchObject({ status, reason });
    return (await this.conditionOf(BackUp, name, type))?.message ?? "";
  }

  /** The Events about a BackUp, as type and reason. */
  eventsOf(name: string): Promise<readonly string[]> {
    return this.eventsAbout(BackUp, name);
  }
}
