import { type RunningSandbox, runOperator, startSandbox, VirtualClock } from "@keelson/testkit";
import type { Resource } from "keelson";
import { Deployment } from "keelson/kinds/apps/v1";
import { HorizontalPodAutoscaler } from "keelson/kinds/autoscaling/v2";
import { Namespace, Service } from "keelson/kinds/core/v1";
import { Ingress } from "keelson/kinds/networking/v1";
import { afterAll, beforeAll, expect, it } from "vitest";
import { WebApp } from "../../src/api/web-app.ts";
import { webapp } from "../../src/operator.ts";

let sandbox: RunningSandbox;

beforeAll(async () => {
  sandbox = await startSandbox();
  await sandbox.client.create(Namespace, { metadata: { name: "shop" } });
});
afterAll(() => sandbox?.stop());

const owned: readonly Resource[] = [Deployment, Service, Ingress, HorizontalPodAutoscaler];
const key = { namespace: "shop", name: "web" };
const spec = { image: "web:1", ingress: { host: "web.example.com" }, autoscaling: { maxReplicas: 3 } };

it("reconciles every 30 s, and at once when an owned object is deleted", async () => {
  const clock = new VirtualClock();
  const { client } = sandbox;
  const access = { transport: sandbox.sandbox.transport() };
  await using operator = await runOperator(webapp, { access, clock, events: false });
  const reconciles = async (): Promise<number> => {
    const counted = (await operator.metrics()).matchAll(/^controller_runtime_reconcile_total\{.*\} (\d+)$/gm);
    return [...counted].reduce((sum, [, count]) => sum + Number(count), 0);
  };
  const uidOf = async (resource: Resource): Promise<string | undefined> => {
    const { items } = await client.list(resource, { namespace: "shop" });
    return items[0]?.metadata.uid;
  };
  await client.create(WebApp, { metadata: key, spec });
  // The first reconcile requests another one after 1 ms.
  await expect.poll(() => clock.advance(1).then(() => uidOf(HorizontalPodAutoscaler))).toBeDefined();
  for (const resource of owned) {
    const uid = await uidOf(resource);
    await client.delete(resource, key);
    await expect.poll(async () => (await uidOf(resource)) ?? uid).not.toBe(uid);
  }
  await operator.idle();
  const settled = await reconciles();
  await clock.advance(29_000);
  await operator.idle();
  expect(await reconciles()).toBe(settled);
  await clock.advance(1_000);
  await expect.poll(reconciles).toBe(settled + 1);
});
