import { Event, Namespace } from "@keelson/core/kinds/core/v1";
import { describe, expect, it } from "vitest";
import { clusterWorld, namespaceNamed } from "../../../test/support/cluster-world.ts";
import { startEventExpiry } from "./event-expiry.ts";

const minute = 60_000;
const place = { namespace: "shop", name: "web.1" };
const event: Event = {
  apiVersion: "v1",
  kind: "Event",
  metadata: place,
  involvedObject: { kind: "Pod", namespace: "shop", name: "web" },
  reason: "Started",
  message: "Started",
  type: "Normal",
};

describe("an Event", () => {
  it("is deleted an hour after it was last counted", async () => {
    const world = clusterWorld([startEventExpiry]);
    await world.create(Namespace, namespaceNamed("shop"));
    await world.create(Event, event);
    await world.clock.advance(50 * minute);
    const lastTimestamp = new Date(world.clock.now()).toISOString().replace(/\.\d+/, "");
    await world.change(Event, place, (object) => ({ ...object, count: 2, lastTimestamp }));
    await world.clock.advance(59 * minute);
    expect(world.get(Event, place)?.count).toBe(2);
    await world.clock.advance(2 * minute);
    expect(world.get(Event, place)).toBeUndefined();
    expect(world.errors).toEqual([]);
    await world.stop();
    expect(world.clock.pendingTimers).toEqual([]);
  });
});
