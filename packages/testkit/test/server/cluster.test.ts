import {
  accessFromKubeconfig,
  type Client,
  createClient,
  ForbiddenError,
  httpTransport,
} from "@keelson/client";
import type { Access } from "@keelson/controlplane";
import { systemClock } from "@keelson/core";
import { ConfigMap, Pod } from "@keelson/core/kinds/core/v1";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { type Cluster, startCluster, UnknownLevelError } from "../../src/index.ts";

let cluster: Cluster;
beforeAll(async () => {
  cluster = await startCluster(process.env.KEELSON_LEVEL);
});
afterAll(() => cluster?.stop());

function clientOf({ kubeconfig }: Access): Client {
  const transport = httpTransport(accessFromKubeconfig(kubeconfig, { clock: systemClock, env: {} }));
  onTestFinished(() => transport.close());
  return createClient({ transport });
}

const key = (name: string) => ({ namespace: "default", name });

describe("a cluster for tests", () => {
  it("serves clients and kubectl", async () => {
    await clientOf(cluster).create(ConfigMap, { metadata: key("a"), data: { colour: "blue" } });
    expect(await cluster.kubectl(["get", "configmap", "a", "-o", "jsonpath={.data.colour}"])).toBe("blue");
    expect(await cluster.tryKubectl(["get", "configmap", "none"])).toMatchObject({ exitCode: 1 });
  });

  it("allows users what their rules allow, in all namespaces or in one", async () => {
    const rules = [{ apiGroups: [""], resources: ["configmaps"], verbs: ["list"] }];
    const ann = clientOf(await cluster.createUser({ user: "ann", rules, namespace: "default" }));
    await ann.list(ConfigMap, { namespace: "default" });
    await expect(ann.list(ConfigMap)).rejects.toThrow(ForbiddenError);
    const bob = clientOf(await cluster.createUser({ user: "bob", rules }));
    await bob.list(ConfigMap);
    await expect(bob.list(Pod)).rejects.toThrow(ForbiddenError);
  });

  it("can be killed and restarted, and keeps its objects", async () => {
    const client = clientOf(cluster);
    await client.create(ConfigMap, { metadata: key("kept") });
    await cluster.kill("kube-apiserver");
    await expect(client.get(ConfigMap, key("kept"))).rejects.toThrow(/ECONNREFUSED/);
    await cluster.restart("kube-apiserver");
    expect((await client.get(ConfigMap, key("kept"))).metadata.name).toBe("kept");
  });

  it("lets pods be created without ServiceAccounts where no controller creates them", async () => {
    const spec = { containers: [{ name: "main", image: "web:1" }] };
    expect((await clientOf(cluster).create(Pod, { metadata: key("web"), spec })).status?.phase).toBe(
      "Pending",
    );
  });

  it("of an unknown level is refused", async () => {
    await expect(startCluster("moon")).rejects.toThrow(UnknownLevelError);
  });
});
