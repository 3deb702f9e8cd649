import { type Client, createClient } from "@keelson/client";
import { mergePatch, waitFor } from "keelson";
import { Deployment } from "keelson/kinds/apps/v1";
import { ConfigMap, Node, Pod } from "keelson/kinds/core/v1";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { startWorld, type World } from "../../src/index.ts";
import { openAccess } from "../../src/operator/run-operator.ts";
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

  it("has operators need the permissions that owner references take where that is enforced", async () => {
    const namespace = await world.createNamespace();
    const rules = [{ apiGroups: [""], resources: ["configmaps"], verbs: ["create", "patch", "get"] }];
    const connect = async (user: string, more: typeof rules): Promise<Client> => {
      const access = await world.cluster.createUser({ user, namespace, rules: [...rules, ...more] });
      const transport = openAccess(access);
      onTestFinished(() => transport.close());
      return createClient({ transport });
    };
    const poor = await connect("poor", []);
    const { metadata } = await poor.create(ConfigMap, { metadata: { namespace, name: "owner" } });
    const { name, uid } = metadata;
    const reference = (fields: object) => [{ apiVersion: "v1", kind: "ConfigMap", name, uid, ...fields }];
    const create = (client: Client, child: string, fields: object) =>
      client.create(ConfigMap, { metadata: { namespace, name: child, ownerReferences: reference(fields) } });
    const change = (client: Client, child: string, fields: object | null) =>
      client.patch(
        ConfigMap,
        { namespace, name: child },
        mergePatch({ metadata: { ownerReferences: fields === null ? null : reference(fields) } }),
      );
    await create(poor, "plain", {});
    await expect(create(poor, "blocking", { blockOwnerDeletion: true })).rejects.toThrow(
      'configmaps "blocking" is forbidden: cannot set blockOwnerDeletion if an ownerReference refers to a resource ' +
        "you can't set finalizers on: , <nil>",
    );
    await expect(create(poor, "lost", { kind: "Lost", blockOwnerDeletion: true })).rejects.toThrow(
      'configmaps "lost" is forbidden: cannot set blockOwnerDeletion in this case because cannot find RESTMapping for ' +
        'APIVersion v1 Kind Lost: no matches for kind "Lost" in version "v1"',
    );
    await expect(change(poor, "plain", null)).rejects.toThrow(
      'configmaps "plain" is forbidden: cannot set an ownerRef on a resource you can\'t delete: , <nil>',
    );
    const rich = await connect("rich", [
      { apiGroups: [""], resources: ["configmaps/finalizers"], verbs: ["update"] },
      { apiGroups: [""], resources: ["configmaps"], verbs: ["delete"] },
    ]);
    await create(rich, "blocking", { blockOwnerDeletion: true });
    await change(rich, "plain", { blockOwnerDeletion: true });
    // Who only keeps a reference needs nothing.
    await poor.patch(ConfigMap, { namespace, name: "plain" }, mergePatch({ data: { a: "1" } }));
    await change(rich, "plain", null);
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
