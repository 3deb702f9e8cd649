import { describe, expect, test } from "vitest";
import { type Json, pod, type ServerWorld, serverWorld } from "../../../test/support/server-world.ts";
import { servedKind } from "../../../test/support/writer-world.ts";

const pods = "/api/v1/namespaces/shop/pods";
const sets = "/apis/apps/v1/namespaces/shop/replicasets";
const merge = { "content-type": "application/merge-patch+json" };

const scale = {
  name: "scale",
  verbs: ["get", "update", "patch"],
  kind: "Scale",
  scale: {
    specReplicasPath: ".spec.replicas",
    statusReplicasPath: ".status.replicas",
    labelSelectorPath: ".spec.selector",
  },
};
const status = { name: "status", verbs: ["get", "update", "patch"], kind: "PodDisruptionBudget" };
const budgets = servedKind("PodDisruptionBudget", {
  group: "policy",
  subresources: new Map([["status", status]]),
});
const review = (kind: string, group: string) =>
  servedKind(kind, { group, scope: "Cluster", verbs: ["create"] });
const kinds = [
  pod,
  budgets,
  servedKind("ReplicaSet", { group: "apps", subresources: new Map([["scale", scale]]) }),
  servedKind("ServiceAccount", {
    subresources: new Map([["token", { name: "token", verbs: ["create"], kind: "TokenRequest" }]]),
  }),
  review("SubjectAccessReview", "authorization.k8s.io"),
  review("SelfSubjectAccessReview", "authorization.k8s.io"),
  review("TokenReview", "authentication.k8s.io"),
  review("SelfSubjectReview", "authentication.k8s.io"),
];

async function withPod(
  status: object = { phase: "Running", conditions: [{ type: "Ready", status: "True" }] },
) {
  const world = serverWorld(kinds);
  const body = {
    metadata: { name: "p", labels: { app: "web" } },
    spec: { containers: [{ name: "c" }] },
    status,
  };
  expect((await world.call("POST", pods, { body })).status).toBe(201);
  return world;
}

async function addBudget(world: ServerWorld, status: object, spec: object = {}): Promise<void> {
  const body = {
    metadata: { name: "b" },
    spec: { selector: { matchLabels: { app: "web" } }, ...spec },
    status,
  };
  await world.call("POST", "/apis/policy/v1/namespaces/shop/poddisruptionbudgets", { body });
}

function evict({ call }: ServerWorld, query = ""): Promise<Json> {
  return call("POST", `${pods}/p/eviction${query}`, { body: { metadata: { name: "p" } } });
}

describe("eviction", () => {
  test("deletes a Pod that no budget protects", async () => {
    const world = await withPod();
    expect(await evict(world)).toMatchObject({ status: 201, json: { status: "Success", code: 201 } });
    expect((await world.call("GET", `${pods}/p`)).status).toBe(404);
  });

  test("sets the DisruptionTarget condition once, and not in a dry run", async () => {
    const world = await withPod();
    const body = { metadata: { finalizers: ["keelson.dev/hold"] } };
    await world.call("PATCH", `${pods}/p`, { headers: merge, body });
    const conditions = async (): Promise<unknown> =>
      (await world.call("GET", `${pods}/p`)).json.status.conditions;
    await evict(world, "?dryRun=All");
    expect(await conditions()).toHaveLength(1);
    await evict(world);
    await evict(world);
    expect(await conditions()).toEqual([
      { type: "Ready", status: "True" },
      {
        type: "DisruptionTarget",
        status: "True",
        lastProbeTime: null,
        lastTransitionTime: expect.any(String),
        reason: "EvictionByEvictionAPI",
        message: "Eviction API: evicting",
      },
    ]);
  });

  test("is refused where the budget is used up, and else counted", async () => {
    const world = await withPod();
    await addBudget(world, { disruptionsAllowed: 0, desiredHealthy: 2, currentHealthy: 2 });
    expect(await evict(world)).toMatchObject({
      status: 429,
      json: {
        reason: "TooManyRequests",
        message: "Cannot evict pod as it would violate the pod's disruption budget.",
        details: {
          causes: [
            {
              reason: "DisruptionBudget",
              message: "The disruption budget b needs 2 healthy pods and has 2 currently",
            },
          ],
        },
      },
    });
    const budget = "/apis/policy/v1/namespaces/shop/poddisruptionbudgets/b";
    const patch = { headers: merge, body: { status: { disruptionsAllowed: 1 } } };
    await world.call("PATCH", `${budget}/status`, patch);
    expect((await evict(world, "?dryRun=All")).status).toBe(201);
    expect((await world.call("GET", budget)).json.status.disruptionsAllowed).toBe(1);
    expect((await evict(world)).status).toBe(201);
    expect((await world.call("GET", budget)).json.status).toMatchObject({
      disruptionsAllowed: 0,
      disruptedPods: { p: expect.any(String) },
    });
  });

  test("evicts a Pod that is not ready while its budget is met, or always with AlwaysAllow", async () => {
    const unready = { phase: "Running", conditions: [] };
    const met = await withPod(unready);
    await addBudget(met, { disruptionsAllowed: 0, desiredHealthy: 1, currentHealthy: 1 });
    expect((await evict(met)).status).toBe(201);
    const unmet = await withPod(unready);
    await addBudget(unmet, { disruptionsAllowed: 0, desiredHealthy: 1, currentHealthy: 0 });
    expect((await evict(unmet)).status).toBe(429);
    const always = await withPod(unready);
    const spec = { unhealthyPodEvictionPolicy: "AlwaysAllow" };
    await addBudget(always, { disruptionsAllowed: 0, desiredHealthy: 1, currentHealthy: 0 }, spec);
    expect((await evict(always)).status).toBe(201);
  });
});

describe("a binding", () => {
  test("puts a Pod onto a Node, once", async () => {
    const world = await withPod();
    const body = { metadata: { name: "p" }, target: { kind: "Node", name: "n1" } };
    expect((await world.call("POST", `${pods}/p/binding`, { body })).status).toBe(201);
    const { json } = await world.call("GET", `${pods}/p`);
    expect(json.spec.nodeName).toBe("n1");
    expect(json.status.conditions).toContainEqual(
      expect.objectContaining({ type: "PodScheduled", status: "True" }),
    );
    expect((await world.call("POST", `${pods}/p/binding`, { body })).json).toMatchObject({
      code: 409,
      message: 'Operation cannot be fulfilled on pods/binding "p": pod p is already assigned to node "n1"',
    });
  });
});

describe("a scale", () => {
  test("is read, replaced and patched", async () => {
    const { call } = serverWorld(kinds);
    const spec = { replicas: 2, selector: { matchLabels: { app: "web" } } };
    await call("POST", sets, { body: { metadata: { name: "s" }, spec, status: { replicas: 1 } } });
    expect((await call("GET", `${sets}/s/scale`)).json).toMatchObject({
      kind: "Scale",
      apiVersion: "autoscaling/v1",
      spec: { replicas: 2 },
      status: { replicas: 1, selector: "app=web" },
    });
    const body = { metadata: { name: "s" }, spec: { replicas: 3 } };
    expect((await call("PUT", `${sets}/s/scale`, { body })).json.spec).toEqual({ replicas: 3 });
    const patched = await call("PATCH", `${sets}/s/scale`, {
      headers: merge,
      body: { spec: { replicas: 5 } },
    });
    expect(patched.json.spec).toEqual({ replicas: 5 });
    expect((await call("GET", `${sets}/s`)).json.spec).toMatchObject({
      replicas: 5,
      selector: spec.selector,
    });
    const stale = { metadata: { name: "s", resourceVersion: "1" }, spec: { replicas: 1 } };
    expect((await call("PUT", `${sets}/s/scale`, { body: stale })).status).toBe(409);
    const negative = { metadata: { name: "s" }, spec: { replicas: -3 } };
    expect((await call("PUT", `${sets}/s/scale`, { body: negative })).json.message).toBe(
      'Scale.autoscaling "s" is invalid: spec.replicas: Invalid value: -3: must be greater than or equal to 0',
    );
  });

  test("is printed with its own columns, and is no list", async () => {
    const { call } = serverWorld(kinds);
    await call("POST", sets, { body: { metadata: { name: "s" }, spec: { replicas: 2 } } });
    const as = (kind: string): object => ({
      headers: { accept: `application/json;as=${kind};v=v1;g=meta.k8s.io` },
    });
    const { json } = await call("GET", `${sets}/s/scale`, as("Table"));
    expect(json.columnDefinitions.map(({ name }: { name: string }) => name)).toEqual([
      "Name",
      "Desired",
      "Available",
      "Age",
    ]);
    expect(json.rows[0].cells).toEqual(["s", 2, 0, expect.any(String)]);
    expect((await call("GET", `${sets}/s/scale`, as("PartialObjectMetadataList"))).json.message).toBe(
      "you requested PartialObjectMetadataList, but the requested object is not a list (*autoscaling.Scale)",
    );
  });
});

describe("tokens and reviews", () => {
  const reviews = "/apis/authorization.k8s.io/v1";

  test("a token is issued for a ServiceAccount that exists", async () => {
    const { call } = serverWorld(kinds);
    const accounts = "/api/v1/namespaces/shop/serviceaccounts";
    await call("POST", accounts, { body: { metadata: { name: "a" } } });
    const { status: code, json } = await call("POST", `${accounts}/a/token`, { body: "{}" });
    expect({ code, token: json.status.token }).toEqual({ code: 201, token: "a.b.c" });
    expect((await call("POST", `${accounts}/x/token`, { body: "{}" })).status).toBe(404);
    const short = await call("POST", `${accounts}/a/token`, { body: { spec: { expirationSeconds: 5 } } });
    expect(short.json.message).toContain("may not specify a duration less than 10 minutes");
  });

  test("access is reviewed for other users and for oneself", async () => {
    const { call } = serverWorld(kinds);
    const resourceAttributes = { verb: "get", resource: "pods" };
    const other = { spec: { user: "bob", resourceAttributes } };
    expect((await call("POST", `${reviews}/subjectaccessreviews`, { body: other })).json.status).toEqual({
      allowed: false,
    });
    const own = await call("POST", `${reviews}/selfsubjectaccessreviews`, {
      body: { spec: { resourceAttributes } },
    });
    expect(own).toMatchObject({ status: 201, json: { status: { allowed: true } } });
    const empty = await call("POST", `${reviews}/selfsubjectaccessreviews`, { body: "{}" });
    expect(empty.json.message).toBe(
      '.authorization.k8s.io "" is invalid: spec.resourceAttributes: Invalid value: null: exactly one of nonResourceAttributes or resourceAttributes must be specified',
    );
  });

  test("tokens and the user of a request are reviewed", async () => {
    const { call } = serverWorld(kinds);
    const path = "/apis/authentication.k8s.io/v1";
    const good = await call("POST", `${path}/tokenreviews`, { body: { spec: { token: "good" } } });
    expect(good.json.status).toEqual({
      authenticated: true,
      user: { username: "bob", groups: [] },
      audiences: ["here"],
    });
    const bad = await call("POST", `${path}/tokenreviews`, { body: { spec: { token: "bad" } } });
    expect(bad.json.status).toEqual({ user: {}, error: "invalid bearer token" });
    const self = await call("POST", `${path}/selfsubjectreviews`, { body: "{}" });
    expect(self.json.status.userInfo).toEqual({ username: "admin", groups: ["system:masters"] });
  });
});

describe("connections to a Pod", () => {
  test("the log is empty, and exec is refused", async () => {
    const { call } = await withPod();
    expect(await call("GET", `${pods}/p/log`)).toMatchObject({ status: 200, text: "" });
    expect((await call("GET", `${pods}/p/log?container=x`)).json.message).toBe(
      "container x is not valid for pod p",
    );
    expect((await call("POST", `${pods}/p/exec`)).json).toMatchObject({
      code: 400,
      message: "Upgrade request required",
    });
  });
});
