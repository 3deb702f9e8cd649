import { describe, expect, it } from "vitest";
import { type AdmissionWorld, admissionWorld } from "../../test/support/admission-world.ts";
import { refusal, servedKind } from "../../test/support/writer-world.ts";

interface Setup extends AdmissionWorld {
  /** The names of the webhooks that were called, with the version of the object that they got. */
  readonly called: string[];
  configure(hooks: Readonly<Record<string, object>>): void;
}

function setup(): Setup {
  const called: string[] = [];
  const world = admissionWorld(async ({ url, body }) => {
    const { request } = JSON.parse(body);
    const name = new URL(url).pathname.slice(1);
    called.push(`${name} ${request.object?.apiVersion ?? "-"}`);
    const response = { uid: request.uid, allowed: true };
    return {
      status: 200,
      contentType: "application/json",
      body: JSON.stringify({ apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview", response }),
    };
  });
  return {
    ...world,
    called,
    configure(hooks) {
      const webhooks = Object.entries(hooks).map(([name, fields]) => ({
        name: `${name}.example.com`,
        admissionReviewVersions: ["v1"],
        sideEffects: "None",
        clientConfig: { url: `https://hooks.test/${name}` },
        rules: [{ operations: ["*"], apiGroups: ["*"], apiVersions: ["*"], resources: ["*"] }],
        ...fields,
      }));
      world.put("mutatingwebhookconfigurations", { metadata: { name: "config" }, webhooks });
    },
  };
}

const rule = (differences: object): object => ({
  rules: [
    {
      operations: ["CREATE"],
      apiGroups: [""],
      apiVersions: ["v1"],
      resources: ["configmaps"],
      ...differences,
    },
  ],
});
const map = (name: string, labels: object = {}): object => ({
  metadata: { name, namespace: "shop", labels },
});

describe("the rules of a webhook", () => {
  it("decide by operation, group, version, resource and scope", async () => {
    const { configure, create, called } = setup();
    configure({
      fits: rule({}),
      any: rule({ operations: ["*"], apiGroups: ["*"], apiVersions: ["*"], resources: ["*"], scope: "*" }),
      all: rule({ resources: ["*/*"], scope: "Namespaced" }),
      update: rule({ operations: ["UPDATE"] }),
      group: rule({ apiGroups: ["apps"] }),
      version: rule({ apiVersions: ["v2"] }),
      resource: rule({ resources: ["secrets"] }),
      part: rule({ resources: ["configmaps/status", "*/scale"] }),
      cluster: rule({ scope: "Cluster" }),
    });
    await create("configmaps", map("a"));
    expect(called).toEqual(["fits v1", "any v1", "all v1"]);
  });

  it("take namespaces for parts of the cluster", async () => {
    const { configure, create, called } = setup();
    configure({
      namespaced: rule({ resources: ["namespaces"], scope: "Namespaced" }),
      cluster: rule({ resources: ["namespaces"], scope: "Cluster" }),
    });
    await create("namespaces", { metadata: { name: "new" } });
    expect(called).toEqual(["cluster v1"]);
  });

  it("decide about parts of objects", async () => {
    const { configure, writer, resource, options, put, called } = setup();
    configure({
      whole: rule({ operations: ["UPDATE"], resources: ["pods"] }),
      part: rule({ operations: ["UPDATE"], resources: ["pods/status"] }),
    });
    const pod = put("pods", {
      metadata: { name: "p", namespace: "shop", uid: "u" },
      spec: { containers: [] },
    });
    const target = { resource: resource("pods"), name: "p", namespace: "shop", subresource: "status" };
    const patch = { type: "merge", patch: { status: { message: "x" } } } as const;
    await writer.patch(target, patch, options);
    expect(pod.kind).toBe("Pod");
    expect(called).toEqual(["part v1"]);
  });

  it("may match another version, to which the object is then converted", async () => {
    const { configure, registry, create, called } = setup();
    const gadget = servedKind("Gadget", {
      group: "example.com",
      isCustom: true,
      schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
    });
    registry.replace("gadgets", [gadget, { ...gadget, version: "v2" }]);
    const other = { apiGroups: ["example.com"], apiVersions: ["v2"], resources: ["gadgets"] };
    configure({ equivalent: rule(other), exact: { ...rule(other), matchPolicy: "Exact" } });
    await create("gadgets", { metadata: { name: "g", namespace: "shop" }, spec: {} });
    expect(called).toEqual(["equivalent example.com/v2"]);
  });
});

describe("the selectors of a webhook", () => {
  it("look at the labels of the namespace", async () => {
    const { configure, create, called } = setup();
    const matchLabels = { "kubernetes.io/metadata.name": "shop" };
    const not = [{ key: "kubernetes.io/metadata.name", operator: "NotIn", values: ["shop"] }];
    configure({
      here: { ...rule({}), namespaceSelector: { matchLabels } },
      elsewhere: { ...rule({}), namespaceSelector: { matchExpressions: not } },
      nodes: { ...rule({ resources: ["nodes"] }), namespaceSelector: { matchLabels } },
    });
    await create("configmaps", map("a"));
    await create("nodes", { metadata: { name: "n" } });
    expect(called).toEqual(["here v1", "nodes v1"]);
  });

  it("look at the labels of the object as it was or will be", async () => {
    const { configure, create, writer, resource, options, called } = setup();
    configure({ hook: { ...rule({ operations: ["*"] }), objectSelector: { matchLabels: { a: "b" } } } });
    await create("configmaps", map("plain"));
    await create("configmaps", map("labelled", { a: "b" }));
    const target = {
      resource: resource("configmaps"),
      name: "labelled",
      namespace: "shop",
      subresource: undefined,
    };
    const unlabel = { type: "merge", patch: { metadata: { labels: null } } } as const;
    await writer.patch(target, unlabel, options);
    await writer.patch(target, { type: "merge", patch: { data: { x: "y" } } }, options);
    expect(called).toEqual(["hook v1", "hook v1"]);
  });
});

describe("the conditions of a webhook", () => {
  const conditions = (...expressions: readonly string[]): object => ({
    ...rule({}),
    matchConditions: expressions.map((expression, index) => ({ name: `c${index}`, expression })),
  });

  it("all have to hold", async () => {
    const { configure, create, called } = setup();
    configure({
      both: conditions("object.metadata.name == 'a'", "request.userInfo.username == 'admin'"),
      one: conditions("true", "request.operation == 'DELETE'"),
    });
    await create("configmaps", map("a"));
    expect(called).toEqual(["both v1"]);
  });

  it("refuse the write if they cannot be decided, unless the webhook may fail or another does not hold", async () => {
    const { configure, create, called } = setup();
    const broken = "object.data.x == 'y'";
    configure({
      ignored: { ...conditions(broken), failurePolicy: "Ignore" },
      unmet: conditions(broken, "false"),
    });
    await create("configmaps", map("a"));
    expect(called).toEqual([]);
    configure({ hook: conditions(broken) });
    expect(await refusal(create("configmaps", map("b")))).toMatchObject({
      code: 403,
      message: `configmaps "b" is forbidden: expression 'object.data.x == 'y'' resulted in error: no such key: data`,
    });
  });
});

describe("configurations of webhooks", () => {
  it("are not for webhooks to decide about", async () => {
    const { configure, create, called } = setup();
    configure({
      hook: { rules: [{ operations: ["*"], apiGroups: ["*"], apiVersions: ["*"], resources: ["*/*"] }] },
    });
    await create("validatingwebhookconfigurations", { metadata: { name: "v" }, webhooks: [] });
    expect(called).toEqual([]);
  });

  it("apply from their creation until their deletion", async () => {
    const { configure, create, called, store } = setup();
    await create("configmaps", map("a"));
    configure({ hook: rule({}) });
    await create("configmaps", map("b"));
    const collection = "mutatingwebhookconfigurations.admissionregistration.k8s.io";
    const expectedRevision = Number(store.get(collection, "config")?.metadata.resourceVersion);
    store.write({ collection, key: "config", object: undefined, expectedRevision });
    await create("configmaps", map("c"));
    expect(called).toEqual(["hook v1"]);
  });
});
