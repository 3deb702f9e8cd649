import { type RunningOperator, runOperator, startWorld, type World } from "@keelson/testkit";
import { mergePatch } from "keelson";
import { Deployment } from "keelson/kinds/apps/v1";
import { afterAll, beforeAll, expect, it } from "vitest";
import { SecretAccess } from "../../src/api/secret-access.ts";
import { SharedSecret } from "../../src/api/shared-secret.ts";
import { sharedSecret } from "../../src/operator.ts";
import { SharedSecretSpace } from "../support/space.ts";

let world: World;
let operator: RunningOperator;

beforeAll(async () => {
  world = await startWorld(process.env.KEELSON_LEVEL, { nodes: 1 });
  operator = await runOperator(sharedSecret, { access: world.cluster });
});
afterAll(async () => {
  await operator?.stop();
  await world?.stop();
});

const count = 500;
const atOnce = 20;

async function inParallel(make: (index: number) => Promise<unknown>): Promise<void> {
  for (let index = 0; index < count; index += atOnce)
    await Promise.all(Array.from({ length: atOnce }, (_, offset) => make(index + offset)));
}

it("restarts 500 consumers, each once, with few writes of the status", { timeout: 180_000 }, async () => {
  const space = await SharedSecretSpace.create(world);
  const { namespace } = space;
  await space.createApproved("db");
  await inParallel(async (index) => {
    const name = `web-${index}`;
    // Without pods: what is measured is the operator.
    await space.createDeployment(name, { replicas: 0 });
    const { metadata } = await world.client.create(SecretAccess, {
      metadata: { namespace, name },
      spec: { secret: "db", permission: "ReadOnly", consumer: { kind: "Deployment", name } },
    });
    await world.client.status(SecretAccess).patch(metadata, mergePatch({ status: { decision: "Approved" } }));
  });
  await expect
    .poll(async () => (await space.status("db")).consumerCount, { timeout: 60_000 })
    .toBe(`${count}/${count}`);
  await operator.idle();
  operator.clearWrites();
  await space.flag("db");
  await space.isRestarted("db", 90_000);
  const generations = (await space.list(Deployment)).map(({ metadata }) => metadata.generation);
  expect(new Set(generations)).toEqual(new Set([2]));
  expect(generations).toHaveLength(count);
  const { status } = await space.get(SharedSecret, "db");
  expect(status?.consumers?.filter(({ restartedAt }) => restartedAt !== undefined)).toHaveLength(count);
  const statusWrites = operator.writes.filter(({ subresource }) => subresource === "status").length;
  expect(statusWrites).toBeLessThan(60);
  expect(operator.writes.length - statusWrites).toBeLessThan(count + 10);
});
