import type { Client, KubeObject, Resource } from "keelson";
import type { WatchEvent, WatchOptions } from "keelson/client";
import { toError } from "keelson/low-level";

type Watch<T extends KubeObject> = (signal: AbortSignal) => AsyncIterable<WatchEvent<T>>;
type WithPhase = KubeObject & { readonly status?: { readonly phase?: string } };

/** The values that are read from each version of an object, in order and without repetitions. */
export class Seen<T extends KubeObject, Value> implements AsyncDisposable {
  readonly values: Value[] = [];
  readonly #read: (object: T) => Value | undefined;
  readonly #stop = new AbortController();
  readonly #done: Promise<void>;

  private constructor(watch: Watch<T>, read: (object: T) => Value | undefined) {
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

  /** The phases of an object. */
  static phases<T extends WithPhase>(
    client: Client,
    resource: Resource<T>,
    key: { readonly namespace: string; readonly name: string },
  ): Promise<Seen<T, string>> {
    return Seen.of<T, string>(client, resource, key, ({ status }) => status?.phase);
  }

  async #follow(events: AsyncIterable<WatchEvent<T>>): Promise<void> {
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
