import { Event, Pod } from "@keelson/core/kinds/core/v1";
import { describe, expect, it } from "vitest";
import { workloadWorld } from "../../test/support/workload-world.ts";
import type { ControllerEvent } from "./controller.ts";

const pod: Pod = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: { namespace: "shop", name: "web" },
  spec: { containers: [{ name: "main", image: "nginx" }] },
};

function event(message: string): ControllerEvent {
  return { component: "test-controller", type: "Normal", reason: "Tested", message };
}

describe("the context of controllers", () => {
  it("notifies the listener of existing objects, and then of each change", async () => {
    const world = workloadWorld([]);
    await world.create(Pod, pod);
    const changes: string[] = [];
    const stop = world.context.watch(Pod, ({ type, object, previous }) => {
      changes.push(`${type} ${object.metadata.name} ${previous?.metadata.labels?.app ?? "-"}`);
    });
    const label = (app: string) => (object: Pod) => ({
      ...object,
      metadata: { ...object.metadata, labels: { app } },
    });
    await world.change(Pod, "web", label("a"));
    await world.change(Pod, "web", label("b"));
    await world.remove(Pod, "web");
    stop();
    await world.create(Pod, pod);
    expect(changes.slice(0, 3)).toEqual(["ADDED web -", "MODIFIED web -", "MODIFIED web a"]);
    expect(changes.at(-1)).toBe("DELETED web b");
    await world.stop();
  });

  it("writes an Event as the real controllers do, and counts repetitions in it", async () => {
    const world = workloadWorld([]);
    const stored = await world.create(Pod, pod);
    world.context.recordEvent(stored, event("once"));
    await world.clock.advance(5000);
    world.context.recordEvent(stored, event("once"));
    await world.settle();
    const { uid, resourceVersion } = stored.metadata;
    expect(world.list(Event)).toMatchObject([
      {
        metadata: { namespace: "shop", name: expect.stringMatching(/^web\.[0-9a-f]{15,16}$/) },
        involvedObject: {
          apiVersion: "v1",
          kind: "Pod",
          namespace: "shop",
          name: "web",
          uid,
          resourceVersion,
        },
        reason: "Tested",
        message: "once",
        source: { component: "test-controller" },
        reportingComponent: "test-controller",
        type: "Normal",
        count: 2,
        firstTimestamp: "2026-01-01T00:00:00Z",
        lastTimestamp: "2026-01-01T00:00:05Z",
      },
    ]);
    expect(world.errors).toEqual([]);
    await world.stop();
  });

  it("puts many Events that differ in their message only into one", async () => {
    const world = workloadWorld([]);
    const stored = await world.create(Pod, pod);
    for (let index = 0; index < 15; index++) world.context.recordEvent(stored, event(`number ${index}`));
    await world.settle();
    expect(world.list(Event)).toHaveLength(10);
    const combined = world.list(Event).find(({ message }) => message?.startsWith("(combined"));
    expect(combined).toMatchObject({ message: "(combined from similar events): number 14", count: 6 });
    await world.stop();
  });

  it("drops Events about an object of which there are too many", async () => {
    const world = workloadWorld([]);
    const stored = await world.create(Pod, pod);
    for (let index = 0; index < 100; index++) world.context.recordEvent(stored, event("again"));
    await world.settle();
    expect(world.list(Event)[0]?.count).toBe(25);
    await world.clock.advance(300_000);
    world.context.recordEvent(stored, event("again"));
    await world.settle();
    expect(world.list(Event)[0]?.count).toBe(26);
    await world.stop();
  });

  it("writes the last Event before it has stopped", async () => {
    const world = workloadWorld([]);
    const stored = await world.create(Pod, pod);
    world.context.recordEvent(stored, event("bye"));
    await world.stop();
    expect(world.list(Event)).toHaveLength(1);
  });
});
