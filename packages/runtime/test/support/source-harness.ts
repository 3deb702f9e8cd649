import { type Client, createClient } from "@keelson/client";
import { formatKey, type KubeObject, type ObjectKey, type Resource } from "@keelson/core";
import { VirtualClock } from "@keelson/testkit";
import type { Cache } from "../../src/cache/cache.ts";
import type { LogFields, Logger } from "../../src/logger.ts";
import type { EnqueueOptions, RunningSource, Source, SourceContext } from "../../src/source/source.ts";
import { FakeCache, FakeInformer } from "./fake-informer.ts";

export interface LogLine {
  readonly level: "debug" | "info" | "warn" | "error";
  readonly message: string;
  readonly fields: LogFields;
}

/** A logger that keeps what it was told. */
function recordingLogger(): { readonly log: Logger; readonly lines: readonly LogLine[] } {
  const lines: LogLine[] = [];
  const loggerWith = (common: LogFields): Logger => {
    const at =
      (level: LogLine["level"]) =>
      (message: string, fields: LogFields = {}) =>
        void lines.push({ level, message, fields: { ...common, ...fields } });
    return {
      debug: at("debug"),
      info: at("info"),
      warn: at("warn"),
      error: at("error"),
      with: (fields) => loggerWith({ ...common, ...fields }),
    };
  };
  return { log: loggerWith({}), lines };
}

export interface Queued<Key> extends EnqueueOptions {
  readonly key: Key;
}

/** A client for handlers that must not use it. */
const nowhere: Client = createClient({
  transport: {
    send: () => Promise.reject(new Error("there is no server in this test")),
    close: () => Promise.resolve(),
  },
});

/** A controller as a source sees it: a queue that keeps everything, a log, a clock that stands still. */
export class SourceHarness<Key = ObjectKey> {
  readonly clock = new VirtualClock();
  readonly queued: Queued<Key>[] = [];
  readonly lines: readonly LogLine[];
  readonly context: SourceContext<Key>;
  readonly #controller = new AbortController();

  constructor(options: { readonly formatKey: (key: Key) => string; readonly cache: Cache }) {
    const { log, lines } = recordingLogger();
    this.lines = lines;
    this.context = {
      ...options,
      enqueue: (key, how) => void this.queued.push({ key, ...how }),
      client: nowhere,
      clock: this.clock,
      log,
      signal: this.#controller.signal,
    };
  }

  run(source: Source<Key>): RunningSource {
    return source.run(this.context);
  }

  /** The keys as they were queued, for people. */
  get keys(): readonly string[] {
    return this.queued.map(({ key }) => this.context.formatKey(key));
  }

  messages(level: LogLine["level"]): readonly string[] {
    return this.lines.filter((line) => line.level === level).map(({ message }) => message);
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
