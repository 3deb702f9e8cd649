import { type Client, createClient } from "@keelson/client";
import { formatKey, type KubeObject, type ObjectKey, type Resource } from "@keelson/core";
import { RecordingLogger, VirtualClock } from "@keelson/testkit";
import type { Cache } from "../../src/cache/cache.ts";
import type { EnqueueOptions, RunningSource, Source, SourceContext } from "../../src/source/source.ts";
import { FakeCache, FakeInformer } from "./fake-informer.ts";

export interface Queued<Key> extends EnqueueOptions {
  readonly key: Key;
}

/** A client for handlers that must not use it. */
const unreachableClient: Client = createClient({
  transport: {
    send: () => Promise.reject(new Error("this test has no server")),
    close: () => Promise.resolve(),
  },
});

/** What a controller gives its sources: a queue that keeps everything, a log, a virtual clock. */
export class SourceHarness<Key = ObjectKey> {
  readonly clock = new VirtualClock();
  readonly queued: Queued<Key>[] = [];
  readonly log = new RecordingLogger();
  /** Such as `watches secrets: timeout`. */
  readonly handlerFailures: string[] = [];
  readonly context: SourceContext<Key>;
  readonly #controller = new AbortController();

  constructor(options: { readonly formatKey: (key: Key) => string; readonly cache: Cache }) {
    this.context = {
      ...options,
      enqueue: (key, how) => void this.queued.push({ key, ...how }),
      client: unreachableClient,
      clock: this.clock,
      log: this.log,
      handlerFailed: (source, reason) => void this.handlerFailures.push(`${source}: ${reason}`),
      signal: this.#controller.signal,
    };
  }

  run(source: Source<Key>): RunningSource {
    return source.run(this.context);
  }

  /** The text of the keys, in the order in which they were enqueued. */
  get keys(): readonly string[] {
    return this.queued.map(({ key }) => this.context.formatKey(key));
  }

  get lines(): RecordingLogger["lines"] {
    return this.log.lines;
  }

  messages(level: "debug" | "info" | "warn" | "error"): readonly string[] {
    return this.log.messages(level);
  }

  abort(): void {
    this.#controller.abort(new Error("the controller stops"));
  }
}

/** A harness with one informer. */
export function informerHarness<T extends KubeObject>(
  resource: Resource<T>,
): SourceHarness & { readonly informer: FakeInformer<T>; readonly cache: FakeCache<T> } {
  const informer = new FakeInformer(resource);
  const cache = new FakeCache(informer);
  return Object.assign(new SourceHarness({ formatKey, cache }), { informer, cache });
}
