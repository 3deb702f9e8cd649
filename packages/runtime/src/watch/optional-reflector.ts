import { type Client, discoverVersion, NotFoundError } from "@keelson/client";
import {
  type Clock,
  type KubeObject,
  type Random,
  type Resource,
  sleep,
  systemClock,
  systemRandom,
} from "@keelson/core";
import { Reflector } from "./reflector.ts";
import { type Freshness, noWatches, type ReflectorOptions, type WatchOutcome } from "./reflector-options.ts";

export interface OptionalReflectorOptions<T extends KubeObject> extends ReflectorOptions<T> {
  /** How often discovery is requested while the kind is not served; varied by up to a tenth. */
  readonly checkEveryMs: number;
  /** Called when the server turns out to serve the kind, or no longer to serve it; after the sink has changed. */
  readonly onServed?: (isServed: boolean) => void;
}

/** By the discovery of the kind's group and version. Unknown if that request failed. */
type Availability = "served" | "notServed" | "unknown";

/**
 * A reflector of a kind that the server may not serve, such as one whose CustomResourceDefinition is not installed. While
 * the kind is not served, there are no objects: the sink is emptied. The kind is watched as soon as discovery shows it
 * [RF25].
 */
export class OptionalReflector<T extends KubeObject> {
  readonly #options: OptionalReflectorOptions<T>;
  readonly #clock: Clock;
  readonly #random: Random;
  #reflector: Reflector<T> | undefined;
  /** Undefined until it is known. */
  #isServed: boolean | undefined;
  /** The counts of the reflectors that have ended. */
  #ended: Counts = notWatched;

  constructor(options: OptionalReflectorOptions<T>) {
    const { clock = systemClock, random = systemRandom } = options;
    this.#options = options;
    this.#clock = clock;
    this.#random = random;
  }

  /** As that of a Reflector. */
  async run(signal: AbortSignal): Promise<void> {
    const { checkEveryMs } = this.#options;
    while (!signal.aborted) {
      const availability = await this.#check(signal);
      // If discovery fails, the watch shows whether the kind is served.
      if (!signal.aborted && availability !== "notServed") await this.#watch(availability, signal);
      if (signal.aborted) return;
      this.#empty();
      const delayMs = checkEveryMs * (0.9 + 0.2 * this.#random.next());
      // The loop ends when the signal has aborted.
      await sleep(this.#clock, delayMs, signal).catch(() => undefined);
    }
  }

  get freshness(): Freshness {
    const current = this.#reflector?.freshness ?? notWatched;
    return {
      ...current,
      phase: this.#reflector === undefined && this.#isServed === false ? "notServed" : current.phase,
      ...added(this.#ended, current),
    };
  }

  /** Until the signal aborts, or the server has refused the watch because it does not serve the kind. */
  async #watch(availability: Availability, signal: AbortSignal): Promise<void> {
    const disappearance = new AbortController();
    const both = AbortSignal.any([signal, disappearance.signal]);
    let checking: Promise<void> | undefined;
    const judge = async (error: Error): Promise<void> => {
      const found = await this.#check(both);
      if (both.aborted) return;
      if (found === "served") this.#options.onError?.(error);
      else disappearance.abort();
    };
    const onError = (error: Error): void => {
      if (!(error instanceof NotFoundError)) {
        this.#options.onError?.(error);
        return;
      }
      // An error of the hook must not end the watch.
      checking ??= judge(error)
        .catch(() => undefined)
        .finally(() => {
          checking = undefined;
        });
    };
    this.#reflector = new Reflector({ ...this.#options, onError });
    if (availability === "served") this.#report(true);
    await this.#reflector.run(both);
    await checking;
    this.#ended = added(this.#ended, this.#reflector.freshness);
    this.#reflector = undefined;
  }

  #empty(): void {
    this.#options.sink.replace(new Map(), "");
    this.#report(false);
  }

  #report(isServed: boolean): void {
    const isNew = this.#isServed !== isServed;
    this.#isServed = isServed;
    if (isNew) this.#options.onServed?.(isServed);
  }

  async #check(signal: AbortSignal): Promise<Availability> {
    const { client, resource } = this.#options;
    try {
      return (await isServed(client, resource, signal)) ? "served" : "notServed";
    } catch {
      // The watch that is tried next reports why the server cannot be reached.
      return "unknown";
    }
  }
}

async function isServed(client: Client, resource: Resource, signal: AbortSignal): Promise<boolean> {
  const served = await discoverVersion(client, resource, { signal });
  return served.some(({ plural }) => plural === resource.plural);
}

const notWatched: Freshness = {
  phase: "idle",
  resourceVersion: undefined,
  lastEventAtMs: undefined,
  lastBookmarkAtMs: undefined,
  bytesReceived: 0,
  lastEventLagMs: undefined,
  lists: 0,
  watches: noWatches(),
};

type Counts = Pick<Freshness, "bytesReceived" | "lists" | "watches">;

function added(a: Counts, b: Counts): Counts {
  const watches = noWatches();
  for (const outcome of Object.keys(watches).filter(isOutcome))
    watches[outcome] = a.watches[outcome] + b.watches[outcome];
  return { bytesReceived: a.bytesReceived + b.bytesReceived, lists: a.lists + b.lists, watches };
}

function isOutcome(name: string): name is WatchOutcome {
  return name in notWatched.watches;
}
