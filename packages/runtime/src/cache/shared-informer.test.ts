import { createClient, type Selection } from "@keelson/client";
import { metadataOnly, type Resource, type Transport } from "@keelson/core";
import { Deployment } from "@keelson/core/kinds/apps/v1";
import { Pod } from "@keelson/core/kinds/core/v1";
import { VirtualClock } from "@keelson/testkit";
import { describe, expect, it } from "vitest";
import { noWatches } from "../watch/reflector-options.ts";
import { InformerReusedError, InformerStoppedError } from "./errors.ts";
import { SharedInformer } from "./shared-informer.ts";

const nowhere: Transport = {
  send: () => Promise.reject(new Error("there is no server")),
  close: () => Promise.resolve(),
};

function setUp() {
  const clock = new VirtualClock();
  return { clock, client: createClient({ transport: nowhere, clock }) };
}

describe("a shared informer", () => {
  it("[IN20] says what it watches and how far it is", () => {
    const { client } = setUp();
    const labelSelector = { matchLabels: { app: "web" } };
    const name = (resource: Resource, selection: Selection = {}) =>
      new SharedInformer({ client, resource, selection }).statuses[0]?.name;
    expect(name(Pod)).toBe("pods");
    expect(name(Pod, { namespace: "shop" })).toBe("pods in shop");
    expect(name(Pod, { labelSelector })).toBe("pods with app=web");
    const everything = { namespace: "shop", labelSelector: "app=web", fieldSelector: "metadata.name!=x" };
    expect(name(metadataOnly(Deployment), everything)).toBe(
      "metadata of deployments.apps in shop with app=web and metadata.name!=x",
    );
    expect(new SharedInformer({ client, resource: Pod }).statuses).toEqual([
      {
        name: "pods",
        hasSynced: false,
        objects: 0,
        phase: "idle",
        resourceVersion: undefined,
        lastEventAtMs: undefined,
        lastBookmarkAtMs: undefined,
        bytesReceived: 0,
        lastEventLagMs: undefined,
        lists: 0,
        watches: noWatches(),
      },
    ]);
  });

  it("tells the log and the hook of a server that is not there, and stops all the same", async () => {
    const { client, clock } = setUp();
    const errors: Error[] = [];
    const informer = new SharedInformer({
      client,
      resource: Pod,
      clock,
      onError: (error) => errors.push(error),
    });
    const stop = new AbortController();
    const run = informer.run(stop.signal);
    await clock.advance(10_000);
    expect(errors.length).toBeGreaterThan(1);
    const waiting = informer.synced();
    stop.abort();
    await run;
    await expect(waiting).rejects.toThrow(InformerStoppedError);
    expect(clock.pendingTimers).toEqual([]);
  });

  it("runs once, and a second run does not disturb the first", async () => {
    const { client, clock } = setUp();
    const informer = new SharedInformer({ client, resource: Pod, clock });
    const stop = new AbortController();
    const run = informer.run(stop.signal);
    await expect(informer.run(stop.signal)).rejects.toThrow(InformerReusedError);
    expect(informer.statuses[0]?.phase).not.toBe("stopped");
    stop.abort();
    await run;
  });
});
