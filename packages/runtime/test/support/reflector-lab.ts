import { createClient, type Selection } from "@keelson/client";
import type { Clock, KubeObject, Resource } from "@keelson/core";
import { ConfigMap, Namespace } from "@keelson/core/kinds/core/v1";
import { type FaultyTransport, faultyTransport } from "@keelson/testkit";
import { expect, onTestFinished } from "vitest";
import { Reflector } from "../../src/watch/reflector.ts";
import type { ReflectorOptions } from "../../src/watch/reflector-options.ts";
import { RecordingSink } from "./recording-sink.ts";
import type { TestCluster } from "./test-cluster.ts";

export interface ReflectorWorld<T extends KubeObject> {
  readonly namespace: string;
  readonly transport: FaultyTransport;
  readonly sink: RecordingSink<T>;
  readonly reflector: Reflector<T>;
  readonly errors: Error[];
  readonly warnings: string[];
  /** The verb of each request, `watch-list`, `watch` or `list`, with the requested resource version. */
  requested(): readonly string[];
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** A control plane, and helpers for tests of reflectors there. */
export class ReflectorLab {
  readonly cluster: TestCluster;
  #worlds = 0;

  constructor(cluster: TestCluster) {
    this.cluster = cluster;
  }

  /** A namespace of its own with these objects, and a reflector that has not started. */
  async world<T extends KubeObject>(
    resource: Resource<T>,
    names: readonly string[] = [],
    options: Partial<Omit<ReflectorOptions<T>, "selection">> & { selection?: Selection; clock?: Clock } = {},
  ): Promise<ReflectorWorld<T>> {
    this.#worlds += 1;
    const namespace = `world-${this.#worlds}`;
    await this.cluster.admin.create(Namespace, { metadata: { name: namespace } });
    // Not all at once: each needs a connection, and on a busy machine the last ones would time out.
    for (let start = 0; start < names.length; start += 10)
      await Promise.all(names.slice(start, start + 10).map((name) => this.create(namespace, name)));
    const transport = faultyTransport(this.cluster.realTransport());
    const sink = new RecordingSink<T>();
    const errors: Error[] = [];
    const warnings: string[] = [];
    const reflector = new Reflector<T>({
      client: createClient({ transport }),
      resource,
      sink,
      onError: (error) => errors.push(error),
      onWarning: (message) => warnings.push(message),
      ...options,
      selection: { namespace, ...options.selection },
    });
    const controller = new AbortController();
    let run: Promise<void> = Promise.resolve();
    const stop = async (): Promise<void> => {
      controller.abort();
      await run;
    };
    onTestFinished(async () => {
      await stop();
      expect(transport.openStreams).toEqual([]);
      await transport.close();
    });
    return {
      namespace,
      transport,
      sink,
      reflector,
      errors,
      warnings,
      requested: () =>
        transport.requests.map(({ query }) => {
          const verb =
            query.sendInitialEvents === "true" ? "watch-list" : query.watch === "true" ? "watch" : "list";
          return `${verb} ${query.continue === undefined ? query.resourceVersion : "more"}`.trim();
        }),
      start: async () => {
        run = reflector.run(controller.signal);
        await Promise.resolve();
      },
      stop,
    };
  }

  /** A world whose reflector has all its objects. A first list may be stale; the missing objects follow as events. */
  async synced<T extends KubeObject>(...args: Parameters<typeof this.world<T>>): Promise<ReflectorWorld<T>> {
    const made = await this.world<T>(...args);
    await made.start();
    const [, names = []] = args;
    await expect.poll(() => made.sink.history.length).toBeGreaterThanOrEqual(1);
    if (args[2]?.selection === undefined) await expect.poll(() => made.sink.objects.size).toBe(names.length);
    return made;
  }

  /** Creates a ConfigMap with data, since managedFields list only fields that were set. */
  async create(
    namespace: string,
    name: string,
    data: Record<string, string> = { filled: "yes" },
  ): Promise<string> {
    const created = await this.cluster.admin.create(ConfigMap, { metadata: { namespace, name }, data });
    return created.metadata.resourceVersion ?? "";
  }

  async remove(namespace: string, name: string): Promise<void> {
    await this.cluster.admin.delete(ConfigMap, { namespace, name });
  }

  /**
   * Ends the live watch after it has delivered an event, so that it is known to be open. Returns the resource version that
   * is known then: of the object, or of a bookmark that came after it.
   */
  async endWatch<T extends KubeObject>(made: ReflectorWorld<T>): Promise<string> {
    await this.create(made.namespace, "last");
    await expect.poll(() => made.sink.names).toContain("last");
    expect(made.transport.cutStreams({}, "end")).toBe(1);
    return knownVersion(made);
  }
}

/** The last resource version that the sink has received. */
export function knownVersion<T extends KubeObject>({ sink }: ReflectorWorld<T>): string {
  return sink.versions.at(-1) ?? "none";
}

export const watchLists = { watch: true, query: { sendInitialEvents: "true" } };
export const plainWatches = { watch: true, query: { sendInitialEvents: undefined } };
