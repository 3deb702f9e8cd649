import {
  accessFromKubeconfig,
  type Client,
  ConnectionError,
  createClient,
  GoneError,
  httpTransport,
  MalformedResponseError,
  type WatchEvent,
} from "@keelson/client";
import { systemClock } from "@keelson/core";
import { ConfigMap } from "@keelson/core/kinds/core/v1";
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import {
  type Cluster,
  errorEvent,
  type FaultyTransport,
  faults,
  faultyTransport,
  startCluster,
} from "../../src/index.ts";

let controlPlane: Cluster;
beforeAll(async () => {
  controlPlane = await startCluster(process.env.KEELSON_LEVEL);
});
afterAll(() => controlPlane?.stop());

/** A namespace of its own for every test. */
let namespace: string;
let tests = 0;
beforeEach(async () => {
  namespace = `faults-${tests++}`;
  await controlPlane.kubectl(["create", "namespace", namespace]);
});

/** A client through a transport that fails on request. After the test nothing may be open. */
function faultyClient(): { readonly client: Client; readonly transport: FaultyTransport } {
  const access = accessFromKubeconfig(controlPlane.kubeconfig, { clock: systemClock, env: {} });
  const transport = faultyTransport(httpTransport(access));
  onTestFinished(async () => {
    expect(transport.openStreams).toEqual([]);
    await transport.close();
  });
  return { client: createClient({ transport }), transport };
}

async function create(client: Client, ...names: readonly string[]): Promise<void> {
  for (const name of names) await client.create(ConfigMap, { metadata: { namespace, name } });
}

async function latestVersion(client: Client): Promise<string> {
  return (await client.list(ConfigMap, { namespace })).metadata.resourceVersion ?? "";
}

/** Watches, and watches again from the last version it saw whenever a watch is over. */
class Follower {
  readonly seen: string[] = [];
  /** How each watch ended. */
  readonly endings: unknown[] = [];
  readonly done: Promise<void>;
  readonly #stop = new AbortController();
  #current = new AbortController();
  #resourceVersion: string;

  constructor(client: Client, resourceVersion: string) {
    this.#resourceVersion = resourceVersion;
    this.done = this.#follow(client);
    onTestFinished(() => this.stop());
  }

  async #follow(client: Client): Promise<void> {
    while (!this.#stop.signal.aborted) {
      this.#current = new AbortController();
      const signal = AbortSignal.any([this.#stop.signal, this.#current.signal]);
      try {
        const resourceVersion = this.#resourceVersion;
        for await (const event of client.watch(ConfigMap, { namespace, resourceVersion, signal }))
          this.#note(event);
        this.endings.push("end");
      } catch (error) {
        this.endings.push(error);
      }
    }
  }

  #note(event: WatchEvent<ConfigMap>): void {
    if (event.type === "ERROR") return void this.seen.push(`ERROR ${event.status.reason}`);
    this.#resourceVersion = event.object.metadata.resourceVersion ?? this.#resourceVersion;
    this.seen.push(`${event.type} ${event.object.metadata.name}`);
  }

  /** Leaves the present watch, as a client does that has received nothing for too long. */
  giveUpWatch(reason: Error): void {
    this.#current.abort(reason);
  }

  async stop(): Promise<void> {
    this.#stop.abort(new Error("the test is over"));
    await this.done;
  }
}

describe("a watch that begins anew from the last version it saw", () => {
  /**
   * How the stream is lost before a write, and how its reader notices after it, where it does not by itself.
   */
  interface Loss {
    readonly lose: (transport: FaultyTransport) => number;
    readonly notice?: (follower: Follower) => void;
    readonly ending: unknown;
  }

  it.each<readonly [string, Loss]>([
    ["cut", { lose: (transport) => transport.cutStreams(), ending: expect.any(ConnectionError) }],
    ["ended", { lose: (transport) => transport.cutStreams({ watch: true }, "end"), ending: "end" }],
    [
      "black-holed and given up",
      {
        lose: (transport) => transport.blackholeStreams(),
        notice: (follower) => follower.giveUpWatch(new Error("too quiet")),
        ending: expect.objectContaining({ message: "too quiet" }),
      },
    ],
  ])("misses nothing when it was %s", async (_, { lose, notice = () => undefined, ending }) => {
    const { client, transport } = faultyClient();
    const follower = new Follower(client, await latestVersion(client));
    const names = ["a", "b", "c", "d", "e", "f"];
    for (const [index, name] of names.entries()) {
      await expect.poll(() => follower.seen.length).toBe(index);
      const isLost = index % 2 === 1;
      if (isLost) expect(lose(transport)).toBe(1);
      await create(client, name);
      if (isLost) notice(follower);
    }
    await expect.poll(() => follower.seen.length).toBe(names.length);
    await follower.stop();
    expect(follower.seen).toEqual(names.map((name) => `ADDED ${name}`));
    expect(follower.endings).toEqual([ending, ending, ending, expect.any(Error)]);
    expect(transport.requests.filter(({ query }) => query.watch === "true")).toHaveLength(4);
  });

  it("sees every event once, however often and wherever its connection breaks", async () => {
    const { client, transport } = faultyClient();
    const follower = new Follower(client, await latestVersion(client));
    await create(client, "first");
    await expect.poll(() => follower.seen.length).toBe(1);
    const everything = { times: Number.POSITIVE_INFINITY };
    transport.fault(
      { watch: true },
      [faults.splitBytes(), faults.cutAfter(1, { midLine: true })],
      everything,
    );
    transport.cutStreams();
    const names = Array.from({ length: 8 }, (_, index) => `more-${index}`);
    await create(client, ...names);
    // The half line that comes last waits for a next event, which is then seen by the next watch.
    await expect.poll(() => follower.seen.length).toBe(1 + names.length);
    await follower.stop();
    expect(follower.seen).toEqual(["first", ...names].map((name) => `ADDED ${name}`));
    expect(follower.endings.length).toBeGreaterThan(names.length / 2);
  });
});

describe("a black-holed watch", () => {
  it("stays silent, and delivers everything late but whole when released", async () => {
    const { client, transport } = faultyClient();
    const follower = new Follower(client, await latestVersion(client));
    await create(client, "before");
    await expect.poll(() => follower.seen.length).toBe(1);
    expect(transport.blackholeStreams()).toBe(1);
    await create(client, "one", "two");
    // Another watch shows that the server has sent both long ago.
    const witness = faultyClient();
    const other = new Follower(witness.client, "0");
    await expect.poll(() => other.seen.length).toBe(3);
    expect(follower.seen).toEqual(["ADDED before"]);
    expect(transport.heldRequests).toHaveLength(1);
    transport.releaseAll();
    await expect.poll(() => follower.seen).toEqual(["ADDED before", "ADDED one", "ADDED two"]);
    expect(follower.endings).toEqual([]);
  });
});

describe("faults of one request", () => {
  it("lose the response to a write that the server has executed", async () => {
    const { client, transport } = faultyClient();
    transport.fault({ method: "POST" }, faults.loseResponse());
    await expect(create(client, "lost")).rejects.toBeInstanceOf(ConnectionError);
    expect((await client.get(ConfigMap, { namespace, name: "lost" })).metadata.name).toBe("lost");
  });

  it("hold a write back until it is released", async () => {
    const { client, transport } = faultyClient();
    transport.fault({ method: "POST" }, faults.hold());
    const created = create(client, "held");
    await expect.poll(() => transport.heldRequests.length).toBe(1);
    expect((await client.list(ConfigMap, { namespace })).items).toEqual([]);
    transport.releaseAll();
    await created;
    expect((await client.list(ConfigMap, { namespace })).items).toHaveLength(1);
  });

  it("look to the client like the server's own refusals and events", async () => {
    const { client, transport } = faultyClient();
    transport.fault({ method: "GET" }, faults.refuse("Expired"));
    await expect(client.list(ConfigMap, { namespace })).rejects.toBeInstanceOf(GoneError);
    transport.fault({ watch: true }, faults.injectAfter(0, errorEvent("Expired")));
    for await (const event of client.watch(ConfigMap, { namespace })) {
      expect(event).toMatchObject({ type: "ERROR", status: { code: 410 } });
      break;
    }
    transport.fault({ watch: true }, faults.garbleAfter(0));
    await create(client, "any");
    const reading = async () => {
      for await (const _ of client.watch(ConfigMap, { namespace }));
    };
    await expect(reading()).rejects.toBeInstanceOf(MalformedResponseError);
  });
});
