import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ControlPlane, startControlPlane } from "../../src/index.ts";

const node = { apiVersion: "v1", kind: "Node", metadata: { name: "node-1" } };
const nodeStatus = {
  status: {
    capacity: { cpu: "8", memory: "16Gi", pods: "110" },
    allocatable: { cpu: "8", memory: "16Gi", pods: "110" },
    conditions: [{ type: "Ready", status: "True", reason: "KubeletReady", message: "ready for the test" }],
  },
};
const deployment = {
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "web" },
  spec: {
    replicas: 3,
    selector: { matchLabels: { app: "web" } },
    template: {
      metadata: { labels: { app: "web" } },
      // No kubelet ends these pods, so they must not wait for one.
      spec: { terminationGracePeriodSeconds: 0, containers: [{ name: "web", image: "nginx:1.25" }] },
    },
  },
};

describe("a control plane with its controllers and one ready Node", () => {
  let controlPlane: ControlPlane;

  beforeAll(async () => {
    controlPlane = await startControlPlane({
      controllerManager: true,
      scheduler: true,
      // No kubelet reports that the Node is healthy, and after 50 s without a heartbeat nothing would be scheduled on it.
      args: { "kube-controller-manager": ["--node-monitor-grace-period=1h"] },
    });
    await controlPlane.kubectl(["create", "-f", "-"], { input: JSON.stringify(node) });
    await controlPlane.kubectl([
      "patch",
      "node",
      "node-1",
      "--subresource=status",
      "-p",
      JSON.stringify(nodeStatus),
    ]);
  });
  afterAll(() => controlPlane?.stop());

  const kubectl = (...args: string[]): Promise<string> => controlPlane.kubectl(args);
  const waitFor = (condition: string, ...objects: string[]): Promise<string> =>
    kubectl("wait", `--for=${condition}`, "--timeout=30s", ...objects);
  const nodesOfPods = async (): Promise<readonly string[]> => {
    const names = await kubectl("get", "pods", "-l", "app=web", "-o", "jsonpath={.items[*].spec.nodeName}");
    return names.split(" ").filter(Boolean);
  };
  /** Every object that the test created, by a value that no second object has. */
  const identities = async (): Promise<readonly string[]> => {
    const uids = "jsonpath={range .items[*]}{.kind}/{.metadata.name}/{.metadata.uid}{'\\n'}{end}";
    const list = await kubectl("get", "deployments,replicasets,pods,nodes", "-o", uids);
    return list.trim().split("\n").sort();
  };

  it("gives a Deployment its ReplicaSet and its pods, scheduled on the Node", async () => {
    await controlPlane.kubectl(["create", "-f", "-"], { input: JSON.stringify(deployment) });
    await waitFor("jsonpath={.status.replicas}=3", "deployment/web");
    await waitFor("condition=PodScheduled", "pod", "-l", "app=web");
    expect(await nodesOfPods()).toEqual(["node-1", "node-1", "node-1"]);
    const replicas = await kubectl(
      "get",
      "rs",
      "-l",
      "app=web",
      "-o",
      "jsonpath={.items[*].status.replicas}",
    );
    expect(replicas).toBe("3");
  });

  it("scales it up and down", async () => {
    await kubectl("scale", "deployment/web", "--replicas=5");
    await waitFor("jsonpath={.status.replicas}=5", "deployment/web");
    await waitFor("condition=PodScheduled", "pod", "-l", "app=web");
    expect(await nodesOfPods()).toHaveLength(5);
    await kubectl("scale", "deployment/web", "--replicas=2");
    await waitFor("jsonpath={.status.replicas}=2", "deployment/web");
    await expect.poll(nodesOfPods).toHaveLength(2);
  });

  it("loses nothing when the API server is killed and restarted", async () => {
    const before = await identities();
    expect(before).toHaveLength(5);
    await controlPlane.kill("kube-apiserver");
    await expect(kubectl("get", "nodes", "--request-timeout=2s")).rejects.toThrow(/refused/);
    await controlPlane.restart("kube-apiserver");
    expect(await identities()).toEqual(before);
  });

  it("loses nothing when etcd is killed and restarted", async () => {
    const before = await identities();
    await controlPlane.kill("etcd");
    await controlPlane.restart("etcd");
    await expect.poll(() => identities().catch(() => [])).toEqual(before);
  });

  it("has controllers and a scheduler that still work after those restarts", async () => {
    await kubectl("scale", "deployment/web", "--replicas=4");
    await waitFor("jsonpath={.status.replicas}=4", "deployment/web");
    await waitFor("condition=PodScheduled", "pod", "-l", "app=web");
    await expect.poll(nodesOfPods).toHaveLength(4);
  });

  it("garbage collects the ReplicaSet and the pods of a deleted Deployment", async () => {
    await kubectl("delete", "deployment/web");
    await waitFor("delete", "rs", "-l", "app=web");
    await waitFor("delete", "pod", "-l", "app=web");
    expect(await identities()).toEqual([expect.stringMatching(/^Node\/node-1\//)]);
  });
});
