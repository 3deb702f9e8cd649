import type { ObjectKey, Stored } from "@keelson/core";
import { ConfigMap } from "@keelson/core/kinds/core/v1";
import { describe, expect, it } from "vitest";
import { informerHarness } from "../../test/support/source-harness.ts";
import { stored } from "../../test/support/stored.ts";
import { Channel } from "./channel.ts";
import { channelSource } from "./channel-source.ts";
import { enqueueSelf } from "./handlers.ts";
import { named } from "./predicates.ts";

const webApp = (name: string): Stored =>
  stored({ apiVersion: "example.com/v1", kind: "WebApp", metadata: { namespace: "shop", name } });

describe("a channel source", () => {
  it("[EV9] queues what was sent before it ran, and what is sent while it runs", async () => {
    const harness = informerHarness(ConfigMap);
    const channel = new Channel<Stored>();
    await channel.send(webApp("before"));
    const run = harness.run(channelSource({ channel, handler: enqueueSelf(), name: "callbacks" }));
    await run.synced;
    await channel.send(webApp("after"));
    await harness.clock.settle();
    expect(harness.keys).toEqual(["shop/before", "shop/after"]);
    expect(harness.queued[0]).toEqual({
      key: { namespace: "shop", name: "before" },
      trigger: {
        source: "callbacks",
        type: "generic",
        object: { namespace: "shop", name: "before", kind: "WebApp", resourceVersion: "1" },
      },
    });
    harness.abort();
    await run.ended;
  });

  it("[EV9] tests generic events with its predicates", async () => {
    const harness = informerHarness(ConfigMap);
    const channel = new Channel<Stored>();
    const predicates = [
      named("a", "b"),
      { generic: ({ object }: { object: Stored }) => object.metadata.name !== "b" },
    ];
    harness.run(channelSource({ channel, handler: enqueueSelf(), predicates }));
    for (const name of ["a", "b", "c"]) channel.trySend(webApp(name));
    await harness.clock.settle();
    expect(harness.keys).toEqual(["shop/a"]);
    harness.abort();
  });

  it("[EV9] ends when the channel is closed, after the last event", async () => {
    const harness = informerHarness(ConfigMap);
    const channel = new Channel<Stored>();
    channel.trySend(webApp("a"));
    channel.close();
    await harness.run(channelSource({ channel, handler: enqueueSelf() })).ended;
    expect(harness.keys).toEqual(["shop/a"]);
    expect(harness.lines).toEqual([]);
  });

  it("takes keys as well as objects", async () => {
    const harness = informerHarness(ConfigMap);
    const channel = new Channel<ObjectKey>();
    harness.run(channelSource({ channel, handler: ({ object }) => [object] }));
    channel.trySend({ name: "a" });
    await harness.clock.settle();
    expect(harness.queued).toEqual([{ key: { name: "a" }, trigger: { source: "channel", type: "generic" } }]);
    harness.abort();
  });

  it("delivers every event to each controller that runs it", async () => {
    const channel = new Channel<Stored>();
    const source = channelSource({ channel, handler: enqueueSelf() });
    const harnesses = [informerHarness(ConfigMap), informerHarness(ConfigMap)];
    for (const harness of harnesses) harness.run(source);
    channel.trySend(webApp("a"));
    for (const harness of harnesses) {
      await harness.clock.settle();
      expect(harness.keys).toEqual(["shop/a"]);
      harness.abort();
    }
  });

  it("[EV9] holds senders up while its handler looks something up", async () => {
    const harness = informerHarness(ConfigMap);
    const channel = new Channel<ObjectKey>();
    const { promise, resolve } = Promise.withResolvers<void>();
    const handler = async ({ object }: { object: ObjectKey }) => {
      await promise;
      return [object];
    };
    harness.run(channelSource({ channel, handler }));
    let sent = 0;
    while (channel.trySend({ name: `${sent}` })) sent++;
    await harness.clock.settle();
    while (channel.trySend({ name: `${sent}` })) sent++;
    // One is being handled, the others fill the buffer.
    expect(sent).toBe(1025);
    resolve();
    await harness.clock.settle();
    expect(harness.queued.length).toBe(1025);
    harness.abort();
  });

  it("holds senders up when too many events have failed, and ends when all are handled", async () => {
    const harness = informerHarness(ConfigMap);
    const channel = new Channel<{ name: string }>();
    let isBroken = true;
    const handler = ({ object }: { readonly object: { name: string } }) => {
      if (isBroken) throw new Error("no index");
      return [object];
    };
    const { ended } = harness.run(channelSource({ channel, handler }));
    let sent = 0;
    for (let isTaken = true; isTaken; await harness.clock.settle()) {
      const before = sent;
      while (channel.trySend({ name: `${sent}` })) sent++;
      isTaken = sent > before;
    }
    // As many as may fail, and those in the buffer.
    expect(sent).toBe(1024 + 1024);
    expect(harness.clock.pendingTimers).toHaveLength(1);
    isBroken = false;
    channel.close();
    await harness.clock.runUntil(ended);
    expect(new Set(harness.keys).size).toBe(sent);
  });

  it("[EV12] handles other events while a handler does not end, and ends only after that handler", async () => {
    const harness = informerHarness(ConfigMap);
    const channel = new Channel<ObjectKey>();
    const { promise, resolve } = Promise.withResolvers<void>();
    const handler = async ({ object }: { object: ObjectKey }) => {
      if (object.name === "slow") await promise;
      return [object];
    };
    const { ended } = harness.run(channelSource({ channel, handler }));
    for (const name of ["slow", "a", "b"]) channel.trySend({ name });
    channel.close();
    await harness.clock.advance(1_000);
    expect(harness.keys).toEqual(["a", "b"]);
    let hasEnded = false;
    void ended.then(() => {
      hasEnded = true;
    });
    await harness.clock.settle();
    expect(hasEnded).toBe(false);
    resolve();
    await ended;
    expect(harness.keys).toEqual(["a", "b", "slow"]);
  });

  it("queues nothing after its end, and keeps what it has not handled for the next", async () => {
    const harness = informerHarness(ConfigMap);
    const channel = new Channel<Stored>();
    const source = channelSource({ channel, handler: enqueueSelf() });
    const { ended } = harness.run(source);
    harness.abort();
    channel.trySend(webApp("a"));
    await ended;
    expect(harness.queued).toEqual([]);
    const next = informerHarness(ConfigMap);
    next.run(source);
    await next.clock.settle();
    expect(next.keys).toEqual(["shop/a"]);
    next.abort();
  });
});
