import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
import { startWorld, type World } from "../../src/index.ts";
import { OperatorWithSuccessor } from "../../src/operator/successor.ts";
import { Greeting, greeter } from "../support/greeter.ts";

let world: World;

beforeAll(async () => {
  world = await startWorld(process.env.KEELSON_LEVEL);
});
afterAll(() => world?.stop());

it("is not waited for any more when it has died of a write, and its successor is until that is done", async () => {
  const namespace = await world.createNamespace();
  const pair = await OperatorWithSuccessor.start(
    greeter,
    { access: world.cluster, namespaces: [namespace] },
    { atWrite: 1 },
  );
  onTestFinished(() => pair.stop());
  await pair.idle();
  expect(pair.needsReplacement).toBe(false);

  const key = { namespace, name: "a" };
  await world.client.create(Greeting, { metadata: key, spec: { whom: "world" } });
  await expect.poll(() => pair.needsReplacement).toBe(true);
  // Its last write never gets a response: by its own metrics it is busy for ever.
  await pair.idle();
  expect(pair.crashedAt).toMatchObject({ verb: "apply", resource: "configmaps", namespace });

  await pair.replaceCrashed();
  await pair.idle();
  expect(pair.needsReplacement).toBe(false);
  expect((await world.client.get(Greeting, key)).status).toEqual({ phase: "Ready", greeted: "world" });
});

it("is not waited for any more when it dies while it is waited for", async () => {
  const namespace = await world.createNamespace();
  const options = { access: world.cluster, namespaces: [namespace] };
  const pair = await OperatorWithSuccessor.start(greeter, options, { atWrite: 1 });
  onTestFinished(() => pair.stop());
  const spec = { whom: "world" };
  await world.client.create(Greeting, { metadata: { namespace, name: "a" }, spec });
  // Before the object is seen, the operator is idle, and the check runs again.
  await expect.poll(() => pair.idle().then(() => pair.needsReplacement)).toBe(true);
});
