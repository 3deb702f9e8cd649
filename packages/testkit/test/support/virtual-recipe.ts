import assert from "node:assert/strict";
import { startWorld, VirtualClock } from "@keelson/testkit";
import { controller, defineOperator } from "keelson";
import { ConfigMap } from "keelson/kinds/core/v1";

const hours: number[] = [];
const hourly = defineOperator({
  name: "hourly",
  controllers: [
    controller(ConfigMap, { selection: { labelSelector: "hourly" } }).reconcile(({ clock: time }) => {
      hours.push(new Date(time.now()).getUTCHours());
      return { requeueAfterMs: 3_600_000 };
    }),
  ],
});

const clock = new VirtualClock({ startAt: Date.UTC(2026, 0, 1, 9) });
await using world = await startWorld({ clock });
const namespace = await world.createNamespace();
const running = await world.runOperator(hourly);
await world.client.create(ConfigMap, { metadata: { namespace, name: "note", labels: { hourly: "" } } });
await running.idle();
await clock.advance(2 * 3_600_000);
await running.idle();
assert.deepEqual(hours, [9, 10, 11]);
