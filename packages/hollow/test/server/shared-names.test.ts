import {
  type Cluster,
  type FaultyTransport,
  faults,
  faultyTransport,
  type RecordedRequest,
  startCluster,
} from "@keelson/testkit";
import { type Client, NotFoundError, systemClock, waitFor } from "keelson";
import {
  accessFromKubeconfig,
  createClient,
  httpTransport,
  type ObjectToWrite,
  waitUntilDeleted,
} from "keelson/client";
import { Lease } from "keelson/kinds/coordination/v1";
import { Namespace, Node, Pod } from "keelson/kinds/core/v1";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import {
  type HollowNodes,
  type HollowNodesOptions,
  NodeTakenError,
  startHollowNodes,
} from "../../src/index.ts";

const within = { timeout: 30_000 };
const leases = "kube-node-lease";

let controlPlane: Cluster;
let transport: FaultyTransport;
/** Its requests can be held and lost. */
let unsteady: Client;
let client: Client;
let close: () => Promise<unknown>;

beforeAll(async () => {
  controlPlane = await startCluster(process.env.KEELSON_LEVEL);
  const connect = () =>
    httpTransport(accessFromKubeconfig(controlPlane.kubeconfig, { clock: systemClock, env: {} }));
  transport = faultyTransport(connect());
  unsteady = createClient({ transport });
  const steady = connect();
  client = createClient({ transport: steady });
  close = () => Promise.all([transport.close(), steady.close()]);
  // The API server makes it soon after it is ready.
  await waitFor(client, Namespace, { name: leases }, () => true, { timeoutMs: within.timeout });
});
afterAll(async () => {
  await close?.();
  await controlPlane?.stop();
});

async function start(
  options: Partial<HollowNodesOptions> & Pick<HollowNodesOptions, "nodes">,
): Promise<HollowNodes> {
  const nodes = await startHollowNodes({ client, ...options });
  onTestFinished(() => nodes.stop());
  return nodes;
}
const named = (prefix: string, count: number): readonly { readonly name: string }[] =>
  Array.from({ length: count }, (_, index) => ({ name: `${prefix}-${index}` }));
const nodesOf = async (prefix: string): Promise<readonly Node[]> =>
  (await client.list(Node)).items.filter(({ metadata }) => metadata.name?.startsWith(prefix));
const makes = (path: RegExp, name: string) => (request: RecordedRequest) =>
  request.method === "POST" && path.test(request.path) && (request.body?.includes(`"${name}"`) ?? false);
const isHeld = () => expect.poll(() => transport.heldRequests.length, within).toBe(1);

describe("two programs with nodes of the same names", () => {
  it("do not remove what another has taken up, nor what another has made", async () => {
    const nodes = named("pair", 5);
    const first = await start({ nodes });
    const second = await start({ nodes });
    await first.stop();
    expect(await nodesOf("pair")).toHaveLength(5);
    await second.setReady("pair-0", false);
    const third = await start({ nodes });
    await second.stop();
    await third.stop();
    expect(await nodesOf("pair")).toHaveLength(5);
  });

  it("leave it to the one that made the Nodes to remove them, when the other has stopped before", async () => {
    const nodes = named("host", 5);
    const first = await start({ nodes });
    const second = await start({ nodes });
    const third = await start({ nodes });
    // To set the state of a node does not adopt it again.
    await first.setReady("host-1", true);
    await third.stop();
    await second.stop();
    expect(await nodesOf("host")).toHaveLength(5);
    await first.stop();
    expect(await nodesOf("host")).toEqual([]);
  });

  it("lose no Node that one takes up while the other is about to delete it", async () => {
    const nodes = [{ name: "contested" }];
    const first = await start({ client: unsteady, nodes });
    transport.fault({ method: "DELETE", path: /nodes\/contested$/ }, faults.hold());
    const stopped = first.stop();
    await isHeld();
    await start({ nodes });
    transport.releaseAll();
    await stopped;
    expect(await nodesOf("contested")).toHaveLength(1);
  });

  it("can start at the same time", async () => {
    // Not more: each would want a connection, and on a busy machine the last ones would come too late.
    const started = await Promise.all([1, 2, 3].map(() => start({ nodes: named("rush", 4) })));
    expect(await nodesOf("rush")).toHaveLength(4);
    await Promise.all(started.map((each) => each.stop()));
  });

  it("share the Lease that the other has just made", async () => {
    transport.fault(makes(/leases$/, "late"), faults.hold());
    const starting = start({ client: unsteady, nodes: [{ name: "late" }] });
    await isHeld();
    await client.create(Lease, { metadata: { namespace: leases, name: "late" } });
    transport.releaseAll();
    await starting;
    const { spec } = await client.get(Lease, { namespace: leases, name: "late" });
    expect(spec).toMatchObject({ holderIdentity: "late", renewTime: expect.any(String) });
  });
});

describe("a program that is stopped and started again", () => {
  const waiting = { timeoutMs: within.timeout };
  const keyOf = (name: string) => ({ namespace: "default", name });
  const podOn = (nodeName: string, name: string): ObjectToWrite<Pod> => ({
    metadata: keyOf(name),
    spec: { nodeName, containers: [{ name: "main", image: "web:1" }] },
  });
  const isReady = ({ status }: Pod): boolean =>
    status?.conditions?.some(({ type, status: value }) => type === "Ready" && value === "True") ?? false;
  const readyPod = (name: string): Promise<Pod> => waitFor(client, Pod, keyOf(name), isReady, waiting);

  // Here, where no controller takes a node for lost that is silent for longer than it should.
  it("finds its pods in the state in which they were, and writes nothing that is not new", async () => {
    const nodes = [{ name: "solo" }];
    const first = await start({ nodes, removeNodes: false });
    await client.create(Pod, podOn("solo", "kept"));
    await client.create(Pod, podOn("solo", "deleted"));
    const before = await readyPod("kept");
    await readyPod("deleted");
    await first.stop();
    await client.delete(Pod, keyOf("deleted"));
    await client.create(Pod, podOn("solo", "new"));

    await start({ nodes });
    const added = await readyPod("new");
    await waitUntilDeleted(client, Pod, keyOf("deleted"), waiting);
    expect(added.status?.podIP).not.toBe(before.status?.podIP);
    expect(await client.get(Pod, keyOf("kept"))).toEqual(before);
  });
});

describe("a start that fails", () => {
  it("leaves no Node behind when one of the names is taken", async () => {
    const real = await client.create(Node, { metadata: { name: "crowd-taken" } });
    const starting = startHollowNodes({ client, nodes: [...named("crowd", 10), { name: "crowd-taken" }] });
    await expect(starting).rejects.toThrow(NodeTakenError);
    expect((await nodesOf("crowd")).map(({ metadata }) => metadata.uid)).toEqual([real.metadata.uid]);
  });

  it("leaves no Node behind when it is aborted while the Node is made", async () => {
    transport.fault(makes(/nodes$/, "aborted"), faults.holdResponse());
    const abort = new AbortController();
    const starting = startHollowNodes({
      client: unsteady,
      nodes: [{ name: "aborted" }],
      signal: abort.signal,
    });
    const refused = expect(starting).rejects.toThrow("no longer wanted");
    await isHeld();
    await waitFor(client, Node, { name: "aborted" }, () => true, { timeoutMs: within.timeout });
    abort.abort(new Error("no longer wanted"));
    transport.releaseAll();
    await refused;
    expect(await nodesOf("aborted")).toEqual([]);
  });

  it("leaves no Node behind when the response to its creation is lost", async () => {
    transport.fault(makes(/nodes$/, "unheard"), faults.loseResponse());
    await expect(startHollowNodes({ client: unsteady, nodes: [{ name: "unheard" }] })).rejects.toThrow();
    await expect(client.get(Node, { name: "unheard" })).rejects.toThrow(NotFoundError);
  });
});
