import {
  Channel,
  type Clock,
  channelSource,
  type KubeObject,
  keyOf,
  type ObjectKey,
  type Resource,
  type Source,
  type Stored,
} from "keelson";

/** How a neighbour behaves: in all namespaces, and differently in some. A change takes effect at once. */
export class Knobs<Values extends object> {
  readonly #byNamespace = new Map<string, Partial<Values>>();
  readonly #changes = new Channel<string | undefined>();
  #everywhere: Values;

  constructor(defaults: Values) {
    this.#everywhere = defaults;
  }

  /** What holds in a namespace. */
  in(namespace: string | undefined): Values {
    return { ...this.#everywhere, ...this.#byNamespace.get(namespace ?? "") };
  }

  /** Changes some of them, in one namespace or, without one, in all that have no values of their own. */
  set(values: Partial<Values>, namespace?: string): void {
    if (namespace === undefined) this.#everywhere = { ...this.#everywhere, ...values };
    else this.#byNamespace.set(namespace, { ...this.#byNamespace.get(namespace), ...values });
    this.touch(namespace);
  }

  /** Has the objects of a namespace looked at again, or all of them. */
  touch(namespace?: string): void {
    this.#changes.trySend(namespace);
  }

  /** Enqueues the objects of a kind after each change. */
  source(resource: Resource): Source<ObjectKey> {
    return channelSource({
      name: `knobs of ${resource.plural}`,
      channel: this.#changes,
      handler: async ({ object: namespace }, { client }) => {
        const { items } = await client.list(resource, namespace === undefined ? {} : { namespace });
        return items.map(keyOf);
      },
    });
  }
}

/** The time that the steps of a neighbour take: a step begins when it is first asked for. */
export class Pace {
  readonly #clock: Clock;
  readonly #begun = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * What a reconcile returns while the step lasts; undefined once it is over. A step of infinite length lasts until a
   * knob is changed.
   */
  wait(object: Stored<KubeObject>, step: string, ms: number): Wait | undefined {
    const left = ms - this.#passedMs(object, step);
    return left <= 0 ? undefined : { requeueAfterMs: Math.min(Math.ceil(left), longMs) };
  }

  #passedMs({ metadata: { uid } }: Stored<KubeObject>, step: string): number {
    const now = this.#clock.monotonicNow();
    const key = `${uid} ${step}`;
    const begun = this.#begun.get(key) ?? now;
    this.#begun.set(key, begun);
    return now - begun;
  }
}

export interface Wait {
  readonly requeueAfterMs: number;
}

const longMs = 3_600_000;
