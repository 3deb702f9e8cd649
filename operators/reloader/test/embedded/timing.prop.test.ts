import fc from "fast-check";
import { ReplicaSet } from "keelson/kinds/apps/v1";
import { afterAll, beforeAll, expect, it } from "vitest";
import { VirtualSpace } from "../support/virtual-space.ts";

const minuteMs = 60_000;

let at: VirtualSpace;
beforeAll(async () => {
  at = await VirtualSpace.start({ circuitBreakerReloads: 4, circuitBreakerWindow: "5m" });
});
afterAll(() => at?.[Symbol.asyncDispose]());

const windowed = {
  "reloader.stakater.com/auto": "true",
  "reloader.stakater.com/window-schedule": "*/10 * * * *",
  "reloader.stakater.com/window-duration": "2m",
};
const accumulating = { ...windowed, "deployment.reloader.stakater.com/pause-period": "45s" };

const actions = fc.oneof(
  fc.record({ do: fc.constant("secret" as const), value: fc.constantFrom("0", "1", "2") }),
  fc.record({ do: fc.constant("configMap" as const), value: fc.constantFrom("0", "1", "2") }),
  fc.record({ do: fc.constant("pass" as const), ms: fc.integer({ min: 10, max: 4 * minuteMs }) }),
  fc.record({ do: fc.constant("kill" as const), ms: fc.integer({ min: 0, max: 2 * minuteMs }) }),
);
type Action = typeof actions extends fc.Arbitrary<infer A> ? A : never;

async function play(action: Action): Promise<void> {
  switch (action.do) {
    case "secret":
      return at.setSecret("web", action.value);
    case "configMap":
      return at.setConfigMap("web", action.value);
    case "pass":
      return at.passes(action.ms);
    case "kill":
      await at.operator.kill();
      await at.world.clock.advance(action.ms);
      return at.startOperator();
  }
}

/** When the Deployment was rolled out, in seconds since a window opened. */
async function rolloutSeconds(): Promise<readonly number[]> {
  const { items } = await at.world.client.list(ReplicaSet, { namespace: at.namespace });
  const times = items
    .map(({ metadata }) => Date.parse(metadata.creationTimestamp ?? ""))
    .sort((a, b) => a - b);
  return times.slice(1).map((ms) => (ms % (10 * minuteMs)) / 1000);
}

it.each([
  ["at once", windowed],
  ["collected by a pause", accumulating],
])(
  "whatever happens, changes are rolled out in windows only, and none is missed: %s",
  async (_how, annotations) => {
    await fc.assert(
      fc.asyncProperty(fc.array(actions, { minLength: 3, maxLength: 12 }), async (played) => {
        await at.enterNamespace();
        await at.passesUntilMinute(5);
        await at.deploy("web", annotations);
        for (const action of played) await play(action);
        await at.passesUntilMinute(9);
        await at.passesUntilMinute(5);
        expect((await at.record("web")).pending).toBeUndefined();
        expect(await at.isPaused("web")).toBe(false);
        for (const seconds of await rolloutSeconds()) expect(seconds).toBeLessThanOrEqual(120);
        expect(await at.isCurrent("web")).toBe(true);
        // Nothing happens without a change, however often the operator starts.
        const before = await at.rollouts("web");
        await at.restartOperator();
        await at.passesUntilMinute(1);
        expect(await at.rollouts("web")).toBe(before);
      }),
      { numRuns: 3, endOnFailure: true },
    );
  },
);
