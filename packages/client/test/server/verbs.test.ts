import {
  type GenericObject,
  genericResource,
  metadataOnly,
  type ObjectKey,
  type Resource,
} from "@keelson/core";
import { Deployment } from "@keelson/core/kinds/apps/v1";
import { TokenRequest } from "@keelson/core/kinds/authentication/v1";
import { Scale } from "@keelson/core/kinds/autoscaling/v1";
import { ConfigMap, Namespace, Node, Pod, ServiceAccount } from "@keelson/core/kinds/core/v1";
import { Eviction } from "@keelson/core/kinds/policy/v1";
import { type Cluster, startCluster } from "@keelson/testkit";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import {
  AlreadyExistsError,
  type Client,
  ConflictError,
  createClient,
  ForbiddenError,
  InvalidCallError,
  InvalidError,
  jsonPatch,
  mergePatch,
  NotFoundError,
  strategicMergePatch,
  type WatchEvent,
} from "../../src/index.ts";
import { httpTransport } from "../../src/transport/http-transport.ts";
import { accessOf } from "../support/admin-access.ts";

const crd = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "ships.test.keelson.dev" },
  spec: {
    group: "test.keelson.dev",
    scope: "Namespaced",
    names: { kind: "Ship", plural: "ships" },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        subresources: {
          status: {},
          scale: { specReplicasPath: ".spec.masts", statusReplicasPath: ".status.masts" },
        },
        schema: {
          openAPIV3Schema: {
            type: "object",
            properties: {
              spec: {
                type: "object",
                properties: { masts: { type: "integer", maximum: 9 }, name: { type: "string" } },
              },
              status: {
                type: "object",
                properties: { masts: { type: "integer" }, afloat: { type: "boolean" } },
              },
            },
          },
        },
      },
    ],
  },
};

interface Ship extends GenericObject {
  readonly spec?: { readonly masts?: number; readonly name?: string };
  readonly status?: { readonly masts?: number; readonly afloat?: boolean };
}
const Ship: Resource<Ship> = genericResource({
  group: "test.keelson.dev",
  version: "v1",
  kind: "Ship",
  plural: "ships",
  scope: "Namespaced",
});

let controlPlane: Cluster;
let client: Client;
let namespace: string;
let count = 0;
const transport = { close: async () => undefined };

beforeAll(async () => {
  controlPlane = await startCluster(process.env.KEELSON_LEVEL);
  const http = httpTransport(accessOf(controlPlane));
  transport.close = async () => void (await http.close());
  client = createClient({ transport: http });
  await controlPlane.kubectl(["create", "-f", "-"], { input: JSON.stringify(crd) });
  await controlPlane.kubectl([
    "wait",
    "--for=condition=Established",
    "crd/ships.test.keelson.dev",
    "--timeout=20s",
  ]);
});
afterAll(async () => {
  await transport.close();
  await controlPlane?.stop();
});
beforeEach(async () => {
  namespace = `verbs-${++count}`;
  await client.create(Namespace, { metadata: { name: namespace } });
});

/** The same verbs on a built-in kind and on a custom one. */
const kinds: readonly { name: string; resource: Resource<GenericObject>; body: object; change: object }[] = [
  {
    name: "a built-in kind",
    resource: genericResource(ConfigMap),
    body: { data: { a: "1" } },
    change: { data: { a: "2" } },
  },
  {
    name: "a custom kind",
    resource: genericResource(Ship),
    body: { spec: { masts: 1 } },
    change: { spec: { masts: 2 } },
  },
];

describe.each(kinds)("on $name", ({ resource, body, change }) => {
  const key = () => ({ namespace, name: "one" });
  const create = (name = "one", labels: Record<string, string> = {}) =>
    client.create(resource, { metadata: { namespace, name, labels }, ...body });

  it("creates and gets", async () => {
    const created = await create();
    expect(created).toMatchObject({ kind: resource.kind, ...body });
    expect(created.metadata.uid).toBeDefined();
    expect(await client.get(resource, key())).toEqual(created);
  });

  it("names a new object by a prefix", async () => {
    const created = await client.create(resource, {
      metadata: { namespace, generateName: "ship-" },
      ...body,
    });
    expect(created.metadata.name).toMatch(/^ship-.{5}$/);
  });

  it("lists by namespace, labels, fields and in all namespaces", async () => {
    await create("one", { colour: "red" });
    await create("two", { colour: "blue" });
    const names = async (
      ...[options]: Parameters<Client["list"]> extends [unknown, ...infer Rest] ? Rest : never
    ) =>
      (await client.list(resource, options)).items
        .map((item) => item.metadata.name)
        .filter((name) => /one|two/.test(name ?? ""));
    expect(await names({ namespace })).toEqual(["one", "two"]);
    expect(await names({ namespace, labelSelector: "colour=red" })).toEqual(["one"]);
    const matchExpressions = [{ key: "colour", operator: "NotIn", values: ["red"] }] as const;
    expect(await names({ namespace, labelSelector: { matchExpressions } })).toEqual(["two"]);
    expect(await names({ namespace, fieldSelector: "metadata.name=two" })).toEqual(["two"]);
    expect((await names()).length).toBeGreaterThanOrEqual(2);
    const list = await client.list(resource, { namespace, labelSelector: "colour=red" });
    expect(list.items[0]).toMatchObject({ kind: resource.kind, apiVersion: expect.any(String) });
    expect(list.metadata.resourceVersion).toMatch(/^\d+$/);
  });

  it("lists page by page at one point in time", async () => {
    for (const name of ["a", "b", "c", "d", "e"]) await create(name);
    const pages: (string | undefined)[][] = [];
    for await (const page of client.pages(resource, {
      namespace,
      limit: 2,
      fieldSelector: "metadata.name!=kube-root-ca.crt",
    })) {
      pages.push(page.items.map((item) => item.metadata.name));
      if (pages.length === 1) await create("f");
    }
    expect(pages).toEqual([["a", "b"], ["c", "d"], ["e"]]);
  });

  it("[CL1] updates, gives the server's object, and leaves its argument as it was", async () => {
    const created = await create();
    const argument = { ...created, ...change };
    const copy = structuredClone(argument);
    const updated = await client.update(resource, argument);
    expect(updated).toMatchObject(change);
    expect(updated.metadata.resourceVersion).not.toBe(created.metadata.resourceVersion);
    expect(argument).toEqual(copy);
  });

  it("patches by json patch and merge patch", async () => {
    await create();
    const labels = await client.patch(resource, key(), mergePatch({ metadata: { labels: { a: "b" } } }));
    expect(labels.metadata.labels).toEqual({ a: "b" });
    const operations = [
      { op: "test", path: "/metadata/labels/a", value: "b" },
      { op: "replace", path: "/metadata/labels/a", value: "c" },
    ] as const;
    expect((await client.patch(resource, key(), jsonPatch(operations))).metadata.labels).toEqual({ a: "c" });
    await expect(client.patch(resource, key(), jsonPatch(operations))).rejects.toBeInstanceOf(InvalidError);
  });

  it("applies, owns what it applied, and takes a field over only by force", async () => {
    const configuration = { metadata: { namespace, name: "one" }, ...body };
    const applied = await client.apply(resource, configuration, { fieldOwner: "ann" });
    expect(applied).toMatchObject(body);
    expect(applied.metadata.managedFields?.[0]).toMatchObject({ manager: "ann", operation: "Apply" });
    const other = { ...configuration, ...change };
    const conflict = await client
      .apply(resource, other, { fieldOwner: "bob" })
      .catch((error: unknown) => error);
    expect(conflict).toBeInstanceOf(ConflictError);
    expect(conflict).toMatchObject({ status: { details: { causes: [{ reason: "FieldManagerConflict" }] } } });
    expect(await client.apply(resource, other, { fieldOwner: "bob", force: true })).toMatchObject(change);
  });

  it("deletes, also only if it is the object that was meant", async () => {
    const { metadata } = await create();
    const wrong = { preconditions: { uid: "00000000-0000-0000-0000-000000000000" } };
    await expect(client.delete(resource, key(), wrong)).rejects.toBeInstanceOf(ConflictError);
    await client.delete(resource, key(), { preconditions: { uid: metadata.uid ?? "" } });
    await expect(client.get(resource, key())).rejects.toBeInstanceOf(NotFoundError);
  });

  it("gives the object whose deletion waits for a finalizer", async () => {
    await client.create(resource, {
      metadata: { namespace, name: "one", finalizers: ["keelson.dev/hold"] },
      ...body,
    });
    const answer = await client.delete(resource, key(), { propagationPolicy: "Background" });
    expect(answer).toMatchObject({
      kind: resource.kind,
      metadata: { deletionTimestamp: expect.any(String) },
    });
    await client.patch(resource, key(), mergePatch({ metadata: { finalizers: null } }));
    await expect(client.get(resource, key())).rejects.toBeInstanceOf(NotFoundError);
  });

  it("deletes all of a selection", async () => {
    await create("one", { colour: "red" });
    await create("two", { colour: "blue" });
    await client.deleteAllOf(resource, { namespace, labelSelector: "colour=red" });
    const left = (await client.list(resource, { namespace })).items.map((item) => item.metadata.name);
    expect(left).toContain("two");
    expect(left).not.toContain("one");
  });

  it("watches what happens", async () => {
    const { metadata } = await client.list(resource, { namespace });
    const events: string[] = [];
    const { resourceVersion = "" } = metadata;
    const watching = (async () => {
      for await (const event of client.watch(resource, {
        namespace,
        resourceVersion,
        fieldSelector: "metadata.name=one",
      })) {
        events.push(event.type);
        if (event.type === "DELETED") return event.object.metadata.name;
      }
      return undefined;
    })();
    await create();
    await client.patch(resource, key(), mergePatch(change));
    await client.delete(resource, key());
    expect(await watching).toBe("one");
    expect(events).toEqual(["ADDED", "MODIFIED", "DELETED"]);
  });

  it("watches from the beginning, with a bookmark where the beginning ends", async () => {
    await create();
    const options = {
      sendInitialEvents: true,
      resourceVersionMatch: "NotOlderThan",
      allowWatchBookmarks: true,
    } as const;
    const seen: WatchEvent<GenericObject>[] = [];
    for await (const event of client.watch(resource, { namespace, ...options })) {
      seen.push(event);
      if (event.type === "BOOKMARK") break;
    }
    expect(seen.map(({ type }) => type).at(-1)).toBe("BOOKMARK");
    expect(seen.at(-1)).toMatchObject({
      object: { metadata: { annotations: { "k8s.io/initial-events-end": "true" } } },
    });
    expect(seen.some((event) => event.type === "ADDED" && event.object.metadata.name === "one")).toBe(true);
  });

  it("reads and watches the metadata alone", async () => {
    await create("one", { colour: "red" });
    const partial = metadataOnly(resource);
    const object = await client.get(partial, key());
    expect(object).toMatchObject({ kind: "PartialObjectMetadata", metadata: { labels: { colour: "red" } } });
    expect(Object.keys(object).sort()).toEqual(["apiVersion", "kind", "metadata"]);
    const list = await client.list(partial, { namespace, labelSelector: "colour=red" });
    expect(list.items.map(({ kind, metadata }) => [kind, metadata.name])).toEqual([
      ["PartialObjectMetadata", "one"],
    ]);
    for await (const event of client.watch(partial, { namespace, labelSelector: "colour=red" })) {
      expect(event).toMatchObject({ type: "ADDED", object: { kind: "PartialObjectMetadata" } });
      break;
    }
  });

  it("checks a write without keeping it", async () => {
    await client.create(resource, { metadata: { namespace, name: "one" }, ...body }, { dryRun: true });
    await expect(client.get(resource, key())).rejects.toBeInstanceOf(NotFoundError);
  });

  it("[CL2] throws the error class of the reason of a refusal", async () => {
    const created = await create();
    await expect(create()).rejects.toBeInstanceOf(AlreadyExistsError);
    await expect(client.get(resource, { namespace, name: "none" })).rejects.toBeInstanceOf(NotFoundError);
    await client.update(resource, { ...created, ...change });
    await expect(client.update(resource, created)).rejects.toBeInstanceOf(ConflictError);
    const invalid = { metadata: { namespace, name: "not a name" }, ...body };
    const refusal = await client.create(resource, invalid).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(InvalidError);
    expect(refusal).toMatchObject({
      status: { reason: "Invalid", details: { causes: [{ field: "metadata.name" }] } },
    });
  });
});

describe("subresources", () => {
  const pod = { spec: { containers: [{ name: "a", image: "a:1" }] } };

  it("[CL5] writes of the status carry no spec, and writes of the spec no status", async () => {
    const ship = await client.create(Ship, { metadata: { namespace, name: "one" }, spec: { masts: 1 } });
    const withStatus = await client
      .status(Ship)
      .update({ ...ship, spec: { masts: 7 }, status: { afloat: true } });
    expect(withStatus).toMatchObject({ spec: { masts: 1 }, status: { afloat: true } });
    const withSpec = await client.update(Ship, {
      ...withStatus,
      spec: { masts: 3 },
      status: { afloat: false },
    });
    expect(withSpec).toMatchObject({ spec: { masts: 3 }, status: { afloat: true } });
    const key = { namespace, name: "one" };
    const patched = await client
      .status(Ship)
      .patch(key, mergePatch({ spec: { masts: 9 }, status: { masts: 2 } }));
    expect(patched).toMatchObject({ spec: { masts: 3 }, status: { afloat: true, masts: 2 } });
    const configuration = { metadata: key, spec: { masts: 8 }, status: { masts: 4 } };
    const applied = await client.status(Ship).apply(configuration, { fieldOwner: "ann", force: true });
    expect(applied).toMatchObject({ spec: { masts: 3 }, status: { masts: 4 } });
    expect(await client.status(Ship).get(key)).toEqual(applied);
  });

  it("[CL5] updates of the status of built-in kinds keep spec, labels, annotations and finalizers", async () => {
    const metadata = {
      labels: { l: "1" },
      annotations: { a: "1" },
      finalizers: ["keelson.dev/hold"],
    };
    const node = await client.create(Node, { metadata: { ...metadata, name: `node-${namespace}` } });
    const nodeStatus = { ...node.status, phase: "Running" } as const;
    const updated = await client
      .status(Node)
      .update({ ...node, spec: { unschedulable: true }, status: nodeStatus });
    expect(updated).toMatchObject({ metadata, status: { phase: "Running" } });
    expect(updated.spec?.unschedulable).toBeUndefined();
    const lone = await client.create(Pod, { metadata: { ...metadata, namespace, name: "a" }, ...pod });
    const status = { ...lone.status, phase: "Failed" } as const;
    expect(await client.status(Pod).update({ ...lone, status })).toMatchObject({
      metadata,
      status: { phase: "Failed" },
    });
  });

  it("scales", async () => {
    const template = {
      metadata: { labels: { app: "web" } },
      spec: { containers: [{ name: "web", image: "web:1" }] },
    };
    const spec = { replicas: 1, selector: { matchLabels: { app: "web" } }, template };
    await client.create(Deployment, { metadata: { namespace, name: "web" }, spec });
    const scales = client.subresource(Deployment, "scale", Scale);
    const scale = await scales.get({ namespace, name: "web" });
    expect(scale.spec?.replicas).toBe(1);
    await scales.update({ ...scale, spec: { replicas: 4 } });
    expect((await client.get(Deployment, { namespace, name: "web" })).spec?.replicas).toBe(4);
  });

  it("makes tokens, evicts, and patches strategically", async () => {
    await client.create(ServiceAccount, { metadata: { namespace, name: "robot" } });
    const tokens = client.subresource(ServiceAccount, "token", TokenRequest);
    const request = await tokens.create(
      { namespace, name: "robot" },
      { metadata: {}, spec: { audiences: ["sea"] } },
    );
    expect(request.status?.token).toMatch(/^ey/);
    await client.create(Pod, { metadata: { namespace, name: "a" }, ...pod });
    const image = { spec: { containers: [{ name: "a", image: "a:2" }] } };
    const patched = await client.patch(Pod, { namespace, name: "a" }, strategicMergePatch(image));
    expect(patched.spec?.containers[0]?.image).toBe("a:2");
    const evictions = client.subresource(Pod, "eviction", Eviction);
    const answer = await evictions.submit({ namespace, name: "a" }, { metadata: { namespace, name: "a" } });
    expect(answer).toMatchObject({ kind: "Status", status: "Success" });
    await expect(client.get(Pod, { namespace, name: "a" })).rejects.toBeInstanceOf(NotFoundError);
  });

  it("asks for a log and passes the server's refusal on", async () => {
    await client.create(Pod, { metadata: { namespace, name: "a" }, ...pod });
    const read = async () => {
      for await (const _ of client.logs({ namespace, name: "a" }, { container: "a", tailLines: 1 }));
    };
    await expect(read()).resolves.toBeUndefined();
    const wrong = async () => {
      for await (const _ of client.logs({ namespace, name: "a" }, { container: "none" }));
    };
    await expect(wrong()).rejects.toThrow(
      /get pods\/log .*\/a: the API server responded with 400 BadRequest: container none/,
    );
  });
});

describe("a call that cannot be made", () => {
  const key = (parts: object): ObjectKey => JSON.parse(JSON.stringify(parts));

  it("is refused before anything is sent", async () => {
    await expect(client.get(ConfigMap, { name: "a" })).rejects.toBeInstanceOf(InvalidCallError);
    await expect(client.get(ConfigMap, { name: "a" })).rejects.toThrow(/ConfigMap lives in a namespace/);
    await expect(client.get(Node, { namespace, name: "a" })).rejects.toThrow(/Node has no namespaces/);
    await expect(client.get(ConfigMap, { namespace, name: "" })).rejects.toThrow(/the object has no name/);
    await expect(client.list(ConfigMap, { namespace: "" })).rejects.toThrow(/the namespace is empty/);
    await expect(client.deleteAllOf(ConfigMap, {})).rejects.toThrow(/ConfigMap lives in a namespace/);
    await expect(client.apply(ConfigMap, { metadata: { namespace, name: "a" } })).rejects.toThrow(
      /give a fieldOwner/,
    );
    await expect(client.raw("version")).rejects.toThrow(/a path begins with a slash/);
  });

  it("for want of a name does not become a call on the whole collection", async () => {
    await client.create(ConfigMap, { metadata: { namespace, name: "a" } });
    await expect(client.delete(ConfigMap, key({ namespace }))).rejects.toThrow(/the object has no name/);
    await expect(client.get(ConfigMap, key({ namespace }))).rejects.toThrow(/the object has no name/);
    await expect(client.update(ConfigMap, { metadata: { namespace } })).rejects.toThrow(
      /the object has no name/,
    );
    expect((await client.get(ConfigMap, { namespace, name: "a" })).metadata.name).toBe("a");
  });

  it("does not reach another path by a strange name", async () => {
    const patch = mergePatch({ status: { replicas: 7 } });
    await expect(client.patch(Deployment, { namespace, name: "web/status" }, patch)).rejects.toThrow(
      /is not a name/,
    );
    await expect(client.get(ConfigMap, { namespace, name: ".." })).rejects.toThrow(/is not a name/);
    await expect(client.get(ConfigMap, { namespace: "a%2Fb", name: "c" })).rejects.toThrow(/is not a name/);
  });

  it("because of a mistake in the program shows the mistake", async () => {
    const data: Record<string, unknown> = {};
    data.itself = data;
    const object = { metadata: { namespace, name: "a" }, data };
    await expect(client.create(genericResource(ConfigMap), object)).rejects.toThrow(TypeError);
  });
});

describe("a watch", () => {
  it("can be iterated again, which begins a new one", async () => {
    const events = client.watch(Namespace, { fieldSelector: `metadata.name=${namespace}` });
    for (let round = 0; round < 2; round++) {
      for await (const event of events) {
        expect(event).toMatchObject({ type: "ADDED", object: { metadata: { name: namespace } } });
        break;
      }
    }
    expect.assertions(2);
  });

  it("that is quiet ends when it is left", async () => {
    const iterator = client
      .watch(ConfigMap, { namespace, labelSelector: "none=such" })
      [Symbol.asyncIterator]();
    const waiting = iterator.next();
    await iterator.return?.();
    expect(await waiting).toEqual({ done: true, value: undefined });
  });

  it("throws the reason of the signal that ends it", async () => {
    const controller = new AbortController();
    const read = async () => {
      for await (const _ of client.watch(Namespace, { signal: controller.signal }))
        controller.abort(new Error("enough"));
    };
    await expect(read()).rejects.toThrow("enough");
  });
});

describe("a user without permission", () => {
  it("is forbidden, in words that name what is missing", async () => {
    const access = await controlPlane.createUser({ user: "eve" });
    const http = httpTransport(accessOf(access));
    const refusal = await createClient({ transport: http })
      .list(ConfigMap, { namespace })
      .catch((error: unknown) => error);
    await http.close();
    expect(refusal).toBeInstanceOf(ForbiddenError);
    expect(String(refusal)).toMatch(
      /list configmaps .*: the API server responded with 403 Forbidden: .*User "eve" cannot list/,
    );
  });
});
