import type { Client, KubeObject, Resource } from "keelson";
import type { WatchEvent, WatchOptions } from "keelson/client";
import { Deployment } from "keelson/kinds/apps/v1";
import { toError } from "keelson/low-level";
import { WebApp } from "../../src/api/web-app.ts";

/** The values that are read from each version of an object, in order and without repetitions. */
export class Seen<T extends KubeObject, Value> implements AsyncDisposable {
  readonly values: Value[] = [];
  readonly #read: (object: T) => Value | undefined;
  readonly #stop = new AbortController();
  readonly #done: Promise<void>;

  private constructor(watch: AsyncWatch<T>, read: (object: T) => Value | undefined) {
    this.#read = read;
    this.#done = this.#follow(watch(this.#stop.signal));
  }

  /** Watches from now on. The value of the object as it is now comes first, if it exists. */
  static async of<T extends KubeObject, Value>(
    client: Client,
    resource: Resource<T>,
    { namespace, name }: { readonly namespace: string; readonly name: string },
    read: (object: T) => Value | undefined,
  ): Promise<Seen<T, Value>> {
    const { items, metadata } = await client.list(resource, { namespace });
    const { resourceVersion = "" } = metadata;
    const options: WatchOptions = { namespace, resourceVersion, fieldSelector: `metadata.name=${name}` };
    const seen = new Seen((signal) => client.watch(resource, { ...options, signal }), read);
    const existing = items.find((object) => object.metadata.name === name);
    if (existing !== undefined) seen.#add(existing);
    return seen;
  }

  async #follow(events: ReturnType<AsyncWatch<T>>): Promise<void> {
    try {
      for await (const event of events)
        if (event.type === "MODIFIED" || event.type === "ADDED") this.#add(event.object);
    } catch (error) {
      if (!this.#stop.signal.aborted) throw toError(error);
    }
  }

  #add(object: T): void {
    const value = this.#read(object);
    if (value !== undefined && this.values.at(-1) !== value) this.values.push(value);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort(new Error("the test has ended"));
    await this.#done;
  }
}

type AsyncWatch<T extends KubeObject> = (signal: AbortSignal) => AsyncIterable<WatchEvent<T>>;

/** The phases of a WebApp. */
export function seePhases(client: Client, namespace: string, name: string): Promise<Seen<WebApp, string>> {
  return Seen.of<WebApp, string>(client, WebApp, { namespace, name }, ({ status }) => status?.phase);
}

/** The desired numbers of pods of a Deployment. */
export function seeReplicas(
  client: Client,
  namespace: string,
  name: string,
): Promise<Seen<Deployment, number>> {
  return Seen.of(client, Deployment, { namespace, name }, ({ spec }) => spec?.replicas);
}
