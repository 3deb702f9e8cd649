import { type Cluster, startCluster } from "@keelson/testkit";
import {
  type Client,
  type EventRecorder,
  type Logger,
  mergePatch,
  NotFoundError,
  type Stored,
  systemClock,
  waitFor,
} from "keelson";
import {
  accessFromKubeconfig,
  createClient,
  httpTransport,
  type ObjectToWrite,
  strategicMergePatch,
  waitUntilDeleted,
} from "keelson/client";
import { Deployment, StatefulSet } from "keelson/kinds/apps/v1";
import { Job } from "keelson/kinds/batch/v1";
import { Lease } from "keelson/kinds/coordination/v1";
import { Node, Pod, type PodSpec, type Taint } from "keelson/kinds/core/v1";
import { silentLogger } from "keelson/telemetry";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { annotations, type HollowNodes, NodeTakenError, startHollowNodes } from "../../src/index.ts";

const namespace = "default";
const within = { timeoutMs: 30_000 };

let controlPlane: Cluster;
let client: Client;
let close: () => Promise<void>;
let nodes: HollowNodes;

beforeAll(async () => {
  controlPlane = await startCluster(process.env.KEELSON_LEVEL, {
    controllers: true,
    embedded: { nodeMonitor: { graceMs: 5000, periodMs: 500 } },
    real: {
      args: {
        "kube-controller-manager": [
          "--node-monitor-period=500ms",
          "--node-monitor-grace-period=5s",
          "--node-eviction-rate=100",
        ],
      },
    },
  });
  const transport = httpTransport(
    accessFromKubeconfig(controlPlane.kubeconfig, { clock: systemClock, env: {} }),
  );
  client = createClient({ transport });
  close = () => transport.close();
  nodes = await startHollowNodes({ client, nodes: 2, heartbeatMs: 1000, restartBackoffMs: 1000 });
});
afterAll(async () => {
  await nodes?.stop();
  await close?.();
  await controlPlane?.stop();
});

const kubectl = (...args: string[]): Promise<string> => controlPlane.kubectl(args);
const rolledOut = (name: string, timeout = "30s"): Promise<string> =>
  kubectl("rollout", "status", `deployment/${name}`, `--timeout=${timeout}`);
const podsOf = async (app: string): Promise<readonly Stored<Pod>[]> =>
  (await client.list(Pod, { namespace, labelSelector: `app=${app}` })).items;

const template = (app: string, image = "web:1", spec: Partial<PodSpec> = {}) => ({
  metadata: { labels: { app } },
  spec: { containers: [{ name: "main", image }], ...spec },
});
const deployment = (name: string, replicas: number): ObjectToWrite<Deployment> => ({
  metadata: { name, namespace },
  spec: { replicas, selector: { matchLabels: { app: name } }, template: template(name) },
});
const job = (
  name: string,
  spec: Omit<NonNullable<Job["spec"]>, "template">,
  steering: Record<string, string> = {},
): ObjectToWrite<Job> => ({
  metadata: { name, namespace },
  spec: {
    ...spec,
    template: {
      metadata: { labels: { app: name }, annotations: steering },
      spec: { restartPolicy: "Never", containers: [{ name: "main", image: "work:1" }] },
    },
  },
});
/** A pod that needs no scheduler. */
const podOn = (
  nodeName: string,
  name: string,
  steering: Record<string, string> = {},
): ObjectToWrite<Pod> => ({
  metadata: { name, namespace, annotations: steering },
  spec: { nodeName, containers: [{ name: "main", image: "web:1" }] },
});
const isReady = ({ status }: Pod): boolean =>
  status?.conditions?.some(({ type, status: value }) => type === "Ready" && value === "True") ?? false;
const waitingReason = ({ status }: Pod): string | undefined =>
  status?.containerStatuses?.[0]?.state?.waiting?.reason;
const nodeIs = (name: string, status: "True" | "False" | "Unknown"): Promise<Node> =>
  waitFor(
    client,
    Node,
    { name },
    (node) =>
      node.status?.conditions?.some((each) => each.type === "Ready" && each.status === status) ?? false,
    within,
  );

describe("hollow nodes under the real controllers", () => {
  it("make a Deployment available, and roll it to another image", async () => {
    await client.create(Deployment, deployment("web", 4));
    await rolledOut("web");
    const first = await podsOf("web");
    expect(first.map((pod) => pod.status?.podIP).filter(Boolean)).toHaveLength(4);
    expect(new Set(first.map((pod) => pod.status?.podIP)).size).toBe(4);
    await kubectl("set", "image", "deployment/web", "main=web:2");
    await rolledOut("web");
    for (const { metadata } of first) {
      await waitUntilDeleted(client, Pod, { namespace, name: metadata.name }, within);
    }
    expect((await podsOf("web")).map((pod) => pod.status?.containerStatuses?.[0]?.image)).toEqual(
      Array(4).fill("web:2"),
    );
  });

  it("leave a rollout stuck while its image cannot be pulled, and finish it afterwards", async () => {
    await client.create(Deployment, deployment("stuck", 2));
    await rolledOut("stuck");
    nodes.failPulls("web:bad*");
    await kubectl("set", "image", "deployment/stuck", "main=web:bad-1");
    const reasons = async () => (await podsOf("stuck")).map(waitingReason).filter(Boolean);
    await expect.poll(reasons).toEqual(["ImagePullBackOff"]);
    // The controller counts the pod a little after it was made.
    await expect
      .poll(async () => (await client.get(Deployment, { namespace, name: "stuck" })).status)
      .toMatchObject({ availableReplicas: 2, updatedReplicas: 1, unavailableReplicas: 1 });
    nodes.allowPulls("web:bad*");
    await rolledOut("stuck");
    expect(await reasons()).toEqual([]);
  });

  it("complete a Job, and fail one whose pods fail as often as it allows", async () => {
    const [good, bad] = await Promise.all([
      client.create(Job, job("good", { completions: 3, parallelism: 3 })),
      client.create(Job, job("bad", { backoffLimit: 1 }, { [annotations.exitCode]: "1" })),
    ]);
    const ended = (name: string, condition: string) =>
      waitFor(
        client,
        Job,
        { namespace, name },
        ({ status }) =>
          status?.conditions?.some((each) => each.type === condition && each.status === "True") ?? false,
        // The Job controller makes the second pod of `bad` 10 s after the first has failed.
        { timeoutMs: 50_000 },
      );
    expect((await ended(good.metadata.name, "Complete")).status?.succeeded).toBe(3);
    const failed = await ended(bad.metadata.name, "Failed");
    expect(failed.status?.failed).toBe(2);
    expect(failed.status?.conditions?.find(({ type }) => type === "Failed")?.reason).toBe(
      "BackoffLimitExceeded",
    );
  });

  it("restart what crashes, later each time", async () => {
    await client.create(Pod, podOn("hollow-1", "crashing", { [annotations.crashAfter]: "100ms" }));
    const isBackingOff = (pod: Pod) =>
      waitingReason(pod) === "CrashLoopBackOff" && pod.status?.containerStatuses?.[0]?.restartCount === 2;
    const pod = await waitFor(client, Pod, { namespace, name: "crashing" }, isBackingOff, within);
    expect(pod.status?.phase).toBe("Running");
    expect(pod.status?.containerStatuses?.[0]?.lastState?.terminated).toMatchObject({ exitCode: 1 });
  });

  it("bring a StatefulSet up in order", async () => {
    await client.create(StatefulSet, {
      metadata: { name: "db", namespace },
      spec: {
        serviceName: "db",
        replicas: 3,
        selector: { matchLabels: { app: "db" } },
        template: {
          ...template("db"),
          metadata: { labels: { app: "db" }, annotations: { [annotations.ready]: "1s" } },
        },
      },
    });
    await kubectl("rollout", "status", "statefulset/db", "--timeout=30s");
    const pods = [...(await podsOf("db"))].sort((a, b) => a.metadata.name.localeCompare(b.metadata.name));
    expect(pods.map(({ metadata }) => metadata.name)).toEqual(["db-0", "db-1", "db-2"]);
    for (const [index, next] of pods.slice(1).entries()) {
      const ready = pods[index]?.status?.conditions?.find(({ type }) => type === "Ready");
      expect(Date.parse(next.metadata.creationTimestamp ?? "")).toBeGreaterThanOrEqual(
        Date.parse(ready?.lastTransitionTime ?? "never"),
      );
    }
  });

  it("show in the pod's status what is wrong with an annotation", async () => {
    await client.create(Pod, podOn("hollow-1", "wrong", { [annotations.run]: "soon" }));
    const pod = await waitFor(
      client,
      Pod,
      { namespace, name: "wrong" },
      (each) => waitingReason(each) === "InvalidHollowAnnotation",
      within,
    );
    expect(pod.status?.phase).toBe("Pending");
    await kubectl("annotate", "pod", "wrong", "--overwrite", `${annotations.run}=forever`);
    await waitFor(client, Pod, { namespace, name: "wrong" }, isReady, within);
  });

  it("report once, in an event and in the log, what is wrong with an annotation", async () => {
    const reports: unknown[] = [];
    const log: Logger = {
      ...silentLogger,
      warn: (line) => {
        if (line.includes("annotation")) reports.push(line);
      },
      with: () => log,
    };
    const events: EventRecorder = { record: ({ metadata }, event) => reports.push([metadata.name, event]) };
    await using telling = await startHollowNodes({ client, nodes: [{ name: "telling" }], log, events });
    await client.create(Pod, podOn("telling", "mistaken", { [annotations.exitCode]: "256" }));
    const key = { namespace, name: "mistaken" };
    const isStuck = (pod: Pod) => waitingReason(pod) === "InvalidHollowAnnotation";
    await waitFor(client, Pod, key, isStuck, within);
    // The node has looked at the pod again when it has restored what was changed.
    await client.status(Pod).patch(key, mergePatch({ status: { podIP: null, podIPs: null } }));
    await waitFor(client, Pod, key, ({ status }) => status?.podIP !== undefined, within);
    await telling.stop();
    const message = `annotation ${annotations.exitCode} is "256", must be a number from 0 to 255 or main=1,setup=2`;
    expect(reports).toEqual([
      ["mistaken", { type: "Warning", reason: "InvalidHollowAnnotation", action: "Start", message }],
      `start the containers: ${message}`,
    ]);
  });

  it("wait for a pod's termination as long as it takes, and not longer than its grace period", async () => {
    await using slow = await startHollowNodes({
      client,
      nodes: [{ name: "slow" }],
      terminationDelayMs: 3_600_000,
    });
    expect(slow.names).toEqual(["slow"]);
    const { metadata } = await client.create(Pod, podOn("slow", "lingering"));
    await waitFor(client, Pod, { namespace, name: "lingering" }, isReady, within);
    await client.delete(Pod, { namespace, name: "lingering" }, { gracePeriodSeconds: 5 });
    expect((await client.get(Pod, { namespace, name: "lingering" })).metadata.uid).toBe(metadata.uid);
    await waitUntilDeleted(client, Pod, { namespace, name: "lingering" }, within);
  });
});

const isEvicting = ({ key, effect }: Taint): boolean =>
  key === "node.kubernetes.io/not-ready" && effect === "NoExecute";

describe("a hollow node that is not ready", () => {
  it("is tainted when it reports not ready, ends what is deleted and starts nothing, and recovers", async () => {
    await client.create(Pod, podOn("hollow-2", "evicted"));
    await waitFor(client, Pod, { namespace, name: "evicted" }, isReady, within);
    await nodes.setReady("hollow-2", false);
    await nodeIs("hollow-2", "False");
    await waitFor(
      client,
      Node,
      { name: "hollow-2" },
      ({ spec }) => spec?.taints?.some(isEvicting) ?? false,
      within,
    );
    // The node goes on reporting on its pods.
    expect(isReady(await client.get(Pod, { namespace, name: "evicted" }))).toBe(true);
    await client.create(Pod, podOn("hollow-2", "early"));
    await client.delete(Pod, { namespace, name: "evicted" });
    await waitUntilDeleted(client, Pod, { namespace, name: "evicted" }, within);
    expect((await client.get(Pod, { namespace, name: "early" })).status?.startTime).toBeUndefined();
    await nodes.setReady("hollow-2", true);
    await waitFor(client, Node, { name: "hollow-2" }, ({ spec }) => spec?.taints === undefined, within);
    await waitFor(client, Pod, { namespace, name: "early" }, isReady, within);
  });

  it("is not tainted so that pods are evicted while no node is ready", async () => {
    const isTainted = ({ spec }: Node): boolean =>
      spec?.taints?.length === 1 && spec.taints[0]?.effect === "NoSchedule";
    await nodes.setReady("hollow-2", false);
    await waitFor(
      client,
      Node,
      { name: "hollow-2" },
      ({ spec }) => spec?.taints?.some(isEvicting) ?? false,
      within,
    );
    await nodes.setReady("hollow-1", false);
    await waitFor(client, Node, { name: "hollow-1" }, isTainted, within);
    await waitFor(client, Node, { name: "hollow-2" }, isTainted, within);
    for (const name of ["hollow-1", "hollow-2"]) {
      await nodes.setReady(name, true);
      await waitFor(client, Node, { name }, ({ spec }) => spec?.taints === undefined, within);
    }
  });

  it("does nothing at all while it is silent, and makes good for it when it is back", async () => {
    await client.create(Pod, podOn("hollow-2", "forgotten"));
    await client.create(Pod, podOn("hollow-2", "marked"));
    await waitFor(client, Pod, { namespace, name: "forgotten" }, isReady, within);
    await waitFor(client, Pod, { namespace, name: "marked" }, isReady, within);
    await nodes.setReady("hollow-2", false, { mode: "silent" });
    await client.delete(Pod, { namespace, name: "forgotten" }, { gracePeriodSeconds: 1 });
    await nodeIs("hollow-2", "Unknown");
    await waitFor(client, Pod, { namespace, name: "marked" }, (each) => !isReady(each), within);
    const pod = await client.get(Pod, { namespace, name: "forgotten" });
    expect(pod.status?.containerStatuses?.[0]?.state?.running).toBeDefined();
    await nodes.setReady("hollow-2", true);
    await nodeIs("hollow-2", "True");
    await waitUntilDeleted(client, Pod, { namespace, name: "forgotten" }, within);
    const marked = await waitFor(client, Pod, { namespace, name: "marked" }, isReady, within);
    expect(marked.status?.containerStatuses?.[0]?.restartCount).toBe(0);
  });
});

describe("a program with hollow nodes", () => {
  it("removes the Nodes that it made, and their Leases go with them", async () => {
    const started = await startHollowNodes({ client, nodes: [{ name: "brief", labels: { zone: "a" } }] });
    const node = await client.get(Node, { name: "brief" });
    expect(node.metadata.labels).toMatchObject({ zone: "a", "kubernetes.io/hostname": "brief" });
    expect(node.status?.nodeInfo?.kubeletVersion).toMatch(/^v1\./);
    await client.get(Lease, { namespace: "kube-node-lease", name: "brief" });
    await started.stop();
    await waitUntilDeleted(client, Node, { name: "brief" }, within);
    await waitUntilDeleted(client, Lease, { namespace: "kube-node-lease", name: "brief" }, within);
    await expect(started.ended).resolves.toBeUndefined();
  });

  it("refuses a Node that is not hollow, and leaves it as it is", async () => {
    const real = await client.create(Node, { metadata: { name: "real" } });
    const starting = startHollowNodes({ client, nodes: [{ name: "fresh" }, { name: "real" }] });
    await expect(starting).rejects.toThrow(NodeTakenError);
    expect((await client.get(Node, { name: "real" })).metadata.uid).toBe(real.metadata.uid);
    await waitUntilDeleted(client, Node, { name: "fresh" }, within);
  });

  it("reports again that a node is ready when the cluster has marked it as not ready", async () => {
    await client
      .status(Node)
      .patch(
        { name: "hollow-1" },
        strategicMergePatch({ status: { conditions: [{ type: "Ready", status: "Unknown" }] } }),
      );
    await nodeIs("hollow-1", "True");
  });

  it("leaves a Node alone that a user deletes, until it is made ready again", async () => {
    await using removed = await startHollowNodes({ client, nodes: [{ name: "removed" }], heartbeatMs: 100 });
    await client.delete(Node, { name: "removed" });
    await waitUntilDeleted(client, Lease, { namespace: "kube-node-lease", name: "removed" }, within);
    await expect(client.get(Node, { name: "removed" })).rejects.toThrow(NotFoundError);
    await removed.setReady("removed", true);
    await nodeIs("removed", "True");
  });

  it("goes on after the API server was away", async () => {
    await client.create(Deployment, deployment("resilient", 2));
    await rolledOut("resilient");
    await controlPlane.kill("kube-apiserver");
    await controlPlane.restart("kube-apiserver");
    await kubectl("scale", "deployment/resilient", "--replicas=4");
    // A client that met a dead server may be up to a minute into its back-off.
    await rolledOut("resilient", "100s");
    const { status } = await client.get(Deployment, { namespace, name: "resilient" });
    expect(status?.availableReplicas).toBe(4);
    // While the server was down it received no heartbeat, so it may take the node for lost.
    await nodeIs("hollow-1", "True");
  }, 240_000);
});
