import { runOperator, startWorld, type World } from "@keelson/testkit";
import { Deployment } from "keelson/kinds/apps/v1";
import { Service } from "keelson/kinds/core/v1";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { WebApp } from "../../src/api/web-app.ts";
import { webapp } from "../../src/operator.ts";

let world: World;

beforeAll(async () => {
  // This tests the operator alone: not the rate limits of the real controllers, nor controllers that work on every
  // Service.
  const unhurried = [
    "--kube-api-qps=1000",
    "--kube-api-burst=2000",
    "--concurrent-deployment-syncs=20",
    "--concurrent-replicaset-syncs=20",
    "--controllers=*,-endpoints-controller,-endpointslice-controller",
  ];
  world = await startWorld(process.env.KEELSON_LEVEL, {
    real: { args: { "kube-controller-manager": unhurried } },
  });
});
afterAll(() => world?.stop());

const count = 1000;
/** A busy machine takes minutes. */
const patienceMs = 600_000;

describe("a thousand WebApps", () => {
  it("settle, each with its Deployment and its Service, and are not written after that", {
    timeout: patienceMs,
  }, async () => {
    const namespace = await world.createNamespace();
    await using operator = await runOperator(webapp, { access: world.cluster, events: false });
    const names = Array.from({ length: count }, (_, index) => `web-${index}`);
    const creator = async (): Promise<void> => {
      // Pods would be the work of other controllers.
      for (let name = names.pop(); name !== undefined; name = names.pop())
        await operator.client.create(WebApp, {
          metadata: { namespace, name },
          spec: { image: "web:1", replicas: 0 },
        });
    };
    await Promise.all(Array.from({ length: 16 }, creator));
    const ready = async (): Promise<number> =>
      (await operator.client.list(WebApp, { namespace })).items.filter(
        ({ status }) => status?.phase === "Ready",
      ).length;
    await expect.poll(ready, { timeout: patienceMs, interval: 5000 }).toBe(count);
    expect((await operator.client.list(Deployment, { namespace })).items).toHaveLength(count);
    expect((await operator.client.list(Service, { namespace })).items).toHaveLength(count);
    await operator.idle();
    await operator.stop();
    await using second = await runOperator(webapp, { access: world.cluster, events: false });
    await second.idle();
    expect(second.writes).toEqual([]);
  });
});
