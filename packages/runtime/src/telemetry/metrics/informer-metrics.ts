import { type Clock, groupResourceOf } from "@keelson/core";
import type { InformerStatus } from "../../cache/informer/informer.ts";
import type { StaleRead } from "../../cache/informer-cache.ts";
import type { Sample } from "./family.ts";
import type { MetricsRegistry } from "./metrics-registry.ts";

/** Reads the statuses of informers at each scrape. */
export type ReadInformers = () => readonly InformerStatus[];

type Fact = (status: InformerStatus) => number | undefined;

/** The metrics of caches [MX5]. They are read at each scrape and cost nothing in between. */
export class InformerMetrics {
  readonly #registry: MetricsRegistry;
  readonly #clock: Clock;
  readonly #reads: ReadInformers[] = [];
  #labelled: readonly Labelled<InformerStatus>[] = [];
  readonly onStaleRead: (read: StaleRead) => void;

  constructor(registry: MetricsRegistry, clock: Clock) {
    this.#registry = registry;
    this.#clock = clock;
    const staleReads = registry.counter({
      name: "cache_stale_reads_total",
      help: "Number of reads that went to the server because the cache was stale.",
      labels: ["resource"],
    });
    this.onStaleRead = ({ resource }) => staleReads.with(groupResourceOf(resource)).add();
    this.#addGauges();
    this.#addExcludedObjects();
    this.#addCounters();
  }

  /** Adds informers. */
  observe(read: ReadInformers): void {
    this.#reads.push(read);
  }

  /** Reads all statuses once, before a scrape. */
  refresh(): void {
    this.#labelled = labelled(this.#reads.flatMap((read) => read()));
  }

  #addGauges(): void {
    this.#add("gauge", "informer_objects", "Number of objects in the store.", ({ objects }) => objects);
    this.#add(
      "gauge",
      "informer_store_resource_version",
      "Resource version of the store; compare it with that of another replica.",
      ({ resourceVersion }) => (resourceVersion === undefined ? undefined : Number(resourceVersion)),
    );
    this.#add(
      "gauge",
      "informer_last_event_age_seconds",
      "Time since the last watch event or bookmark.",
      ({ lastEventAtMs, lastBookmarkAtMs }) => {
        if (lastEventAtMs === undefined && lastBookmarkAtMs === undefined) return undefined;
        return Math.max(0, this.#clock.now() - Math.max(lastEventAtMs ?? 0, lastBookmarkAtMs ?? 0)) / 1000;
      },
    );
    this.#add(
      "gauge",
      "informer_event_lag_seconds",
      "Time between the write of a recent change and its arrival, by the server's clock and in whole seconds.",
      ({ lastEventLagMs }) => (lastEventLagMs === undefined ? undefined : lastEventLagMs / 1000),
    );
  }

  #addExcludedObjects(): void {
    this.#add(
      "gauge",
      "informer_unreadable_objects",
      "Number of objects that the transform of the cache cannot handle: reads of them fail, and lists leave them out.",
      ({ unreadableObjects }) => unreadableObjects,
    );
    this.#registry.collected(
      "gauge",
      {
        name: "informer_unindexed_objects",
        help: "Number of objects that the function of an index cannot handle: the index does not contain them.",
        labels: ["informer", "index"],
      },
      () =>
        this.#labelled.flatMap(({ label, status }) =>
          Object.entries(status.unindexedObjects ?? {}).map(([index, value]) => ({
            labels: [label, index],
            value,
          })),
        ),
    );
  }

  #addCounters(): void {
    this.#add("counter", "informer_lists_total", "Number of lists.", ({ lists }) => lists);
    this.#registry.collected(
      "counter",
      {
        name: "informer_watches_total",
        help: "Number of watches that have ended, by outcome.",
        labels: ["informer", "outcome"],
      },
      () =>
        this.#labelled.flatMap(({ label, status }) =>
          Object.entries(status.watches).map(([outcome, value]) => ({ labels: [label, outcome], value })),
        ),
    );
    this.#add(
      "counter",
      "informer_bytes_total",
      "Number of bytes received by watches.",
      ({ bytesReceived }) => bytesReceived,
    );
    this.#add(
      "counter",
      "stale_sync_skips_total",
      "Number of cached reads that waited until the cache included an own write.",
      ({ delayedReads = 0 }) => delayedReads,
    );
  }

  #add(type: "counter" | "gauge", name: string, help: string, factOf: Fact): void {
    this.#registry.collected(type, { name, help, labels: ["informer"] }, () => this.#samples(factOf));
  }

  *#samples(factOf: Fact): Iterable<Sample> {
    for (const { label, status } of this.#labelled) {
      const value = factOf(status);
      if (value !== undefined) yield { labels: [label], value };
    }
  }
}

/** The status of an informer under a label that no other one has. */
export interface Labelled<Status> {
  readonly label: string;
  readonly status: Status;
}

/**
 * Gives informers of the same name different labels, such as `webapps.example.com` and `webapps.example.com #2`: two of one
 * kind may differ in what is not in their names, such as the version. A cache lists them in the order of their start.
 */
export function labelled<Status extends { readonly name: string }>(
  statuses: readonly Status[],
): readonly Labelled<Status>[] {
  const uses = new Map<string, number>();
  return statuses.map((status) => {
    const use = (uses.get(status.name) ?? 0) + 1;
    uses.set(status.name, use);
    return { label: use === 1 ? status.name : `${status.name} #${use}`, status };
  });
}
