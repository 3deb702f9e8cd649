import { setTimeout } from "node:timers/promises";
import type { Client } from "keelson";
import { Namespace } from "keelson/kinds/core/v1";
import { seededRandom } from "keelson/low-level";
import { Content, type ContentOptions } from "./content.ts";
import { createWorkload, type Workload, type WorkloadOptions } from "./workload.ts";

/** How many objects are created at once. */
const parallelCreates = 16;

/** How long a scenario lasts, and its times that are shorter in the quick form. */
export interface Pace {
  readonly loadMs: number;
  readonly pausePeriodSeconds: number;
}

export const fullPace: Pace = { loadMs: 55_000, pausePeriodSeconds: 15 };
export const quickPace: Pace = { loadMs: 6_000, pausePeriodSeconds: 3 };

/** The objects of one scenario, and the load on them. The same scenario has the same load for every subject. */
export class Stage {
  readonly client: Client;
  readonly pace: Pace;
  readonly contents: Content[] = [];
  readonly workloads: Workload[] = [];
  /** Ends the subject's process and starts another one. */
  readonly restartSubject: () => Promise<void>;
  readonly #random = seededRandom(1);
  readonly #namespaces = new Set(["default"]);

  constructor(client: Client, pace: Pace, restartSubject: () => Promise<void>) {
    this.client = client;
    this.pace = pace;
    this.restartSubject = restartSubject;
  }

  async addContents(count: number, options: Partial<ContentOptions> = {}): Promise<readonly Content[]> {
    const { kind = "ConfigMap", namespace = "default" } = options;
    if (!this.#namespaces.has(namespace)) {
      this.#namespaces.add(namespace);
      await this.client.create(Namespace, { metadata: { name: namespace } });
    }
    const added = Array.from({ length: count }, (_, index) => {
      const name = `${kind === "Secret" ? "secret" : "config"}-${index}`;
      return new Content(this.client, { ...options, kind, namespace, name });
    });
    await inParallel(added, (content) => content.create());
    this.contents.push(...added);
    return added;
  }

  async addWorkload(options: WorkloadOptions): Promise<Workload> {
    const workload = await createWorkload(this.client, options);
    this.workloads.push(workload);
    return workload;
  }

  async addWorkloads(options: readonly WorkloadOptions[]): Promise<void> {
    this.workloads.push(...(await inParallel(options, (one) => createWorkload(this.client, one))));
  }

  /** A Deployment for each content. */
  async addDeploymentsOf(
    contents: readonly Content[],
    annotations: Readonly<Record<string, string>> = {},
  ): Promise<void> {
    await this.addWorkloads(
      contents.map((content) => ({
        ...{ namespace: content.namespace, name: `app-${content.name}`, contents: [content], annotations },
      })),
    );
  }

  anyContent(): Content {
    const content = this.contents[Math.floor(this.#random.next() * this.contents.length)];
    if (content === undefined) throw new Error("the scenario has no content");
    return content;
  }

  /** Does something at a fixed rate until the load ends; what takes longer than the period delays the next. */
  async every(periodMs: number, act: (round: number) => Promise<void>): Promise<void> {
    const beginMs = performance.now();
    for (let round = 0; ; round++) {
      const dueMs = beginMs + round * periodMs;
      if (dueMs - beginMs >= this.pace.loadMs) return;
      await setTimeout(Math.max(0, dueMs - performance.now()));
      if (performance.now() - beginMs >= this.pace.loadMs) return;
      await act(round);
    }
  }
}

async function inParallel<T, R>(items: readonly T[], act: (item: T) => Promise<R>): Promise<readonly R[]> {
  const results: R[] = [];
  for (let begin = 0; begin < items.length; begin += parallelCreates)
    results.push(...(await Promise.all(items.slice(begin, begin + parallelCreates).map(act))));
  return results;
}
