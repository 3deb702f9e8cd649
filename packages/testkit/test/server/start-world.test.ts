import { waitFor } from "keelson";
import { Deployment } from "keelson/kinds/apps/v1";
import { ConfigMap, Node, Pod } from "keelson/kinds/core/v1";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startWorld, type World } from "../../src/index.ts";
import { Greeting, greeter, nameOf } from "../support/greeter.ts";

let world: World;

beforeAll(async () => {
  world = await startWorld(process.env.KEELSON_LEVEL, { nodes: 2 });
});
afterAll(() => world?.stop());

const within = { timeoutMs: 30_000 };

describe("a world", () => {
  it("has as many nodes as requested", async () => {
    const names = (await world.client.list(Node)).items.map(({ metadata }) => metadata.name);
    expect(names.sort()).toEqual(["hollow-1", "hollow-2"]);
  });

  it("gives each test a namespace of its own", async () => {
    expect(await world.createNamespace()).not.toBe(await world.createNamespace());
  });

  it("runs workloads, by the options of its nodes", async () => {
    const namespace = await world.createNamespace();
    world.nodes.failPulls("web:*");
    const args = ["-n", namespace, "create", "deployment", "web", "--image=web:1", "--replicas=2"];
    await world.cluster.kubectl(args);
    const reasons = async (): Promise<readonly unknown[]> =>
      (await world.client.list(Pod, { namespace })).items.map(
        ({ status }) => status?.containerStatuses?.[0]?.state?.waiting?.reason,
      );
    const stuck = expect.stringMatching(/^(ErrImagePull|ImagePullBackOff)$/);
    await expect.poll(reasons).toEqual([stuck, stuck]);
    world.nodes.allowPulls();
    const isAvailable = ({ status }: Deployment): boolean => status?.availableReplicas === 2;
    await waitFor(world.client, Deployment, { namespace, name: "web" }, isAvailable, within);
  });

  it("runs operators, which need not be ended before it", async () => {
    const operator = await world.runOperator(greeter);
    const namespace = await world.createNamespace();
    await world.client.create(Greeting, { metadata: { namespace, name: "one" }, spec: { whom: "Ann" } });
    const greeting = { namespace, name: nameOf("one") };
    await waitFor(world.client, ConfigMap, greeting, () => true, within);
    await world.stop();
    await expect(operator.ended).resolves.toBeUndefined();
  });
});
