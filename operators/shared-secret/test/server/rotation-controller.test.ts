import { type RunningOperator, startWorld, type World } from "@keelson/testkit";
import { defineOperator, type Operator } from "keelson";
import { Secret } from "keelson/kinds/core/v1";
import { systemRandomBytes } from "keelson/low-level";
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
import { SharedSecret } from "../../src/api/shared-secret.ts";
import { rotationController, rotationUses } from "../../src/rotation/controller.ts";
import type { Rotator } from "../../src/rotation/rotator.ts";
import { InvalidContentError } from "../../src/rotation/secret-content.ts";
import { secretCache } from "../../src/secret/versioned-secret.ts";
import { RotationSpace } from "../support/rotation-space.ts";

let world: World;
beforeAll(async () => {
  world = await startWorld(process.env.KEELSON_LEVEL);
});
afterAll(() => world?.stop());

const name = "acme.dev/counter";
const custom = { custom: { name } };

/** An operator with only this controller, and a rotator that counts. */
function counting(rotate?: Rotator["rotate"]) {
  const rotated: string[] = [];
  const measured: string[] = [];
  const rotator: Rotator = {
    name,
    rotate:
      rotate ??
      (async ({ sharedSecret, current, publish }) => {
        const { value = "" } = await current();
        rotated.push(sharedSecret.metadata.name);
        await publish({ value: `${Number(value) + 1}` });
      }),
  };
  const parts = {
    ...{ rotators: [rotator], randomBytes: systemRandomBytes },
    metrics: { rotated: (result: string) => void measured.push(result) },
  };
  const operator: Operator = defineOperator({
    ...{ name: "rotation", resources: [SharedSecret], cache: [secretCache], uses: rotationUses },
    controllers: [rotationController(parts)],
  });
  return { operator, rotated, measured };
}

async function run(operator: Operator, { namespace, log }: RotationSpace): Promise<RunningOperator> {
  const running = await world.runOperator(operator, { namespaces: [namespace], log });
  onTestFinished(() => running.stop());
  return running;
}

async function rotationsOf(space: RotationSpace, sharedSecret: string): Promise<number | undefined> {
  return (await space.get(SharedSecret, sharedSecret)).status?.rotation?.rotations;
}

it("rotates each time that it is due and the consumers have the value, and records it", async () => {
  const { operator, measured } = counting();
  const space = await RotationSpace.create(world);
  await run(operator, space);
  await space.create("db", custom, { approved: true, rotateSeconds: 1 });
  for (let rotation = 1; rotation <= 3; rotation++) {
    await expect.poll(() => rotationsOf(space, "db")).toBe(rotation);
    expect((await space.content("db")).value).toBe(String(rotation));
    await space.consumersRestarted("db");
  }
  expect(measured.slice(0, 3)).toEqual(["success", "success", "success"]);
  await expect.poll(() => space.eventsAbout(SharedSecret, "db")).toEqual(["Normal Rotated"]);
  expect(space.log.messages("error")).toEqual([]);
});

it("rotates as soon as the secret is approved, and when the Secret was created again", async () => {
  const { operator } = counting();
  const space = await RotationSpace.create(world);
  const running = await run(operator, space);
  const { spec } = await space.create("db", custom, { approved: false });
  expect(spec.rotator?.runsIn).toBe("Operator");
  await running.idle();
  expect(await rotationsOf(space, "db")).toBeUndefined();
  await space.patchStatus("db", { approved: true, rotateSeconds: 3600 });
  await expect.poll(() => rotationsOf(space, "db")).toBe(1);
  await space.consumersRestarted("db");
  const { metadata } = await space.get(Secret, "db-secret");
  const { labels = {}, ownerReferences = [], namespace } = metadata;
  await world.client.delete(Secret, { namespace, name: "db-secret" });
  await world.client.create(Secret, {
    metadata: { namespace, name: "db-secret", labels, ownerReferences: [...ownerReferences] },
    data: { value: "" },
  });
  await expect.poll(() => rotationsOf(space, "db")).toBe(2);
  expect((await space.content("db")).value).toBe("1");
});

it("leaves alone what a sidecar rotates, what is not known, and what is not to be rotated", async () => {
  const { operator, rotated, measured } = counting();
  const space = await RotationSpace.create(world);
  const running = await run(operator, space);
  await space.create("sidecar", { ...custom, runsIn: "Sidecar" });
  await space.create("unknown", { custom: { name: "acme.dev/unknown" } });
  await space.create("plain", undefined);
  await space.create("rotated", custom);
  await expect.poll(() => rotationsOf(space, "rotated")).toBe(1);
  await running.idle();
  expect([rotated, measured]).toEqual([["rotated"], ["success"]]);
  expect(running.problems).toEqual([]);
  for (const each of ["sidecar", "unknown", "plain"])
    expect((await space.get(SharedSecret, each)).status).toEqual({ approved: true, rotateSeconds: 3600 });
});

it("shows a failure, retries after a while, and does not fail itself", async () => {
  let attempts = 0;
  const { operator, measured } = counting(async ({ publish, current }) => {
    attempts += 1;
    await current();
    if (attempts < 3) throw new InvalidContentError();
    await publish({ value: "works" });
  });
  const space = await RotationSpace.create(world);
  const running = await run(operator, space);
  await space.create("db", custom);
  await expect.poll(() => rotationsOf(space, "db")).toBe(1);
  expect((await space.get(SharedSecret, "db")).status?.rotation).toMatchObject({ totalFailures: 2 });
  expect(measured).toEqual(["error", "error", "success"]);
  await expect
    .poll(() => space.eventsAbout(SharedSecret, "db"))
    .toEqual(["Normal Rotated", "Warning RotationFailed"]);
  expect(running.problems.map(({ message }) => message)).toEqual(["the value could not be rotated"]);
});

it("writes nothing to the status but the fields of a rotation", async () => {
  const { operator } = counting();
  const space = await RotationSpace.create(world);
  const others = { pendingRequests: 3, consumerCount: "1/2", lastRestart: "2026-01-01T00:00:00Z" };
  await space.create("db", custom, { approved: true, rotateSeconds: 3600, ...others });
  await run(operator, space);
  await expect.poll(() => rotationsOf(space, "db")).toBe(1);
  expect((await space.get(SharedSecret, "db")).status).toMatchObject(others);
});
