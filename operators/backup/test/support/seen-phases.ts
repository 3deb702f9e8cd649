import type { Client, Condition } from "keelson";
import { BackUp } from "../../src/api/back-up.ts";

/** Every phase of a BackUp in order, and every message of its condition Progressing, from the creation of this object on. */
export class SeenPhases implements AsyncDisposable {
  readonly phases: string[] = [];
  readonly messages: Set<string> = new Set();
  readonly #stop = new AbortController();
  readonly #done: Promise<void>;

  private constructor(client: Client, namespace: string, name: string, resourceVersion: string) {
    this.#done = this.#watch(client, { namespace, resourceVersion, fieldSelector: `metadata.name=${name}` });
  }

  static async of(client: Client, namespace: string, name: string): Promise<SeenPhases> {
    const { metadata } = await client.list(BackUp, { namespace });
    return new SeenPhases(client, namespace, name, metadata.resourceVersion ?? "");
  }

  async #watch(
    client: Client,
    options: { readonly namespace: string; readonly resourceVersion: string; readonly fieldSelector: string },
  ): Promise<void> {
    const { signal } = this.#stop;
    try {
      for await (const event of client.watch(BackUp, { ...options, signal })) {
        if (event.type === "MODIFIED" || event.type === "ADDED") this.#add(event.object);
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }

  #add({ status }: BackUp): void {
    const phase = status?.phase ?? "none";
    if (this.phases.at(-1) !== phase) this.phases.push(phase);
    const conditions: readonly Condition[] = status?.conditions ?? [];
    const progressing = conditions.find(({ type }) => type === "Progressing");
    if (progressing !== undefined) this.messages.add(progressing.message);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort(new Error("the test has ended"));
    await this.#done;
  }
}
