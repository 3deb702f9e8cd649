import type { ApiUse } from "@keelson/core";
import { ConfigMap, Namespace, Node } from "@keelson/core/kinds/core/v1";
import { type Cluster, startCluster } from "@keelson/testkit";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import {
  BadRequestError,
  type Client,
  createClient,
  discoverAll,
  dryRun,
  httpTransport,
  InvalidCallError,
  inNamespace,
  NoKindMatchError,
  NotFoundError,
  RestMapper,
  recordUse,
  withFieldOwner,
  withFieldValidation,
} from "../../src/index.ts";
import { accessOf } from "../support/admin-access.ts";

let controlPlane: Cluster;
let transport: ReturnType<typeof httpTransport>;
let client: Client;
let uses: ApiUse[];

beforeAll(async () => {
  controlPlane = await startCluster(process.env.KEELSON_LEVEL);
  transport = httpTransport(accessOf(controlPlane));
  client = recordUse(createClient({ transport }), (use) => uses.push(use));
});
afterAll(async () => {
  await transport?.close();
  await controlPlane?.stop();
});
beforeEach(() => {
  uses = [];
});

const paths = () =>
  uses.map((use) => ("nonResourceUrl" in use ? use.nonResourceUrl : `${use.verb} ${use.resource}`));
const kubectl = (args: readonly string[], object?: object) =>
  controlPlane.kubectl(args, object === undefined ? {} : { input: JSON.stringify(object) });

function crd(group: string, kind: string): object {
  const plural = `${kind.toLowerCase()}s`;
  const schema = { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } };
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: "Cluster",
      names: { kind, plural, shortNames: [kind.slice(0, 2).toLowerCase()] },
      versions: [
        { name: "v1", served: true, storage: true, schema, subresources: { status: {} } },
        { name: "v1beta1", served: true, storage: false, schema },
      ],
    },
  };
}
const install = async (group: string, kind: string): Promise<void> => {
  await kubectl(["create", "-f", "-"], crd(group, kind));
  await kubectl([
    "wait",
    "--for=condition=Established",
    `crd/${kind.toLowerCase()}s.${group}`,
    "--timeout=20s",
  ]);
};

describe("the REST mapper", () => {
  it("finds built-in kinds, asking once for each group", async () => {
    const mapper = new RestMapper(client);
    const deployment = { group: "apps", version: "v1", kind: "Deployment" };
    expect(await mapper.resourceFor(deployment)).toMatchObject({
      ...deployment,
      plural: "deployments",
      scope: "Namespaced",
    });
    expect(await mapper.resourceFor({ group: "apps", kind: "DaemonSet" })).toMatchObject({
      plural: "daemonsets",
    });
    expect(await mapper.resourceFor({ group: "", kind: "Node" })).toMatchObject({
      version: "v1",
      scope: "Cluster",
    });
    expect(paths()).toEqual(["/apis/apps", "/apis/apps/v1", "/api", "/api/v1"]);
  });

  it("asks once when many ask at the same time", async () => {
    const mapper = new RestMapper(client);
    await Promise.all(
      Array.from({ length: 20 }, () => mapper.resourceFor({ group: "apps", kind: "Deployment" })),
    );
    expect(paths()).toEqual(["/apis/apps", "/apis/apps/v1"]);
  });

  it("lets each asker wait for as long as its own signal says", async () => {
    const mapper = new RestMapper(client);
    const signal = AbortSignal.abort(new Error("enough"));
    const deployment = { group: "apps", kind: "Deployment" };
    const hasty = mapper.resourceFor(deployment, { signal });
    const patient = mapper.resourceFor(deployment);
    await expect(hasty).rejects.toThrow("enough");
    expect(await patient).toMatchObject({ plural: "deployments" });
  });

  it("[CL4] asks its group once more for a kind it does not know, then says so", async () => {
    const mapper = new RestMapper(client);
    await mapper.resourceFor({ group: "apps", kind: "Deployment" });
    uses = [];
    const failure = await mapper
      .resourceFor({ group: "apps", version: "v1", kind: "Ship" })
      .catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(NoKindMatchError);
    expect(String(failure)).toContain(
      "find kind Ship in apps/v1: the API server does not serve it; is its CRD installed?",
    );
    expect(paths()).toEqual(["/apis/apps", "/apis/apps/v1"]);
  });

  it("[CL4] finds a kind that was installed later, and forgets a group that has vanished", async () => {
    const mapper = new RestMapper(client);
    const ship = { group: "sea.keelson.dev", kind: "Ship" };
    await expect(mapper.resourceFor(ship)).rejects.toBeInstanceOf(NoKindMatchError);
    await install("sea.keelson.dev", "Ship");
    // Discovery follows the Established condition with a small delay.
    await expect.poll(() => mapper.resourceFor(ship).catch(String)).toMatchObject({ plural: "ships" });
    expect(await mapper.resourceFor(ship)).toMatchObject({
      version: "v1",
      shortNames: ["sh"],
      subresources: ["status"],
    });
    expect(await mapper.resourceFor({ ...ship, version: "v1beta1" })).toMatchObject({ version: "v1beta1" });
    await install("sea.keelson.dev", "Raft");
    const raft = () => mapper.resourceFor({ group: "sea.keelson.dev", kind: "Raft" });
    await expect.poll(() => raft().catch(String)).toMatchObject({ plural: "rafts" });
    await kubectl(["delete", "crd", "ships.sea.keelson.dev", "rafts.sea.keelson.dev"]);
    expect(mapper.knownGroups).toEqual(["sea.keelson.dev"]);
    const gone = () =>
      mapper.resourceFor({ group: "sea.keelson.dev", kind: "Boat" }).catch(() => mapper.knownGroups);
    await expect.poll(gone).toEqual([]);
  });
});

describe("discovery of everything", () => {
  it("is the same from the aggregated document and from the separate ones", async () => {
    const aggregated = await discoverAll(client);
    expect(paths()).toEqual(["/api", "/apis"]);
    const old = client.with((next) => ({ ...next, raw: ({ accept, ...call }) => next.raw(call) }));
    const separate = await discoverAll(old);
    const names = (list: typeof aggregated) =>
      list
        .map(({ group, version, plural, kind, scope }) => [group, version, plural, kind, scope].join(" "))
        .sort();
    expect(names(aggregated)).toEqual(names(separate));
    expect(aggregated.length).toBeGreaterThan(50);
    expect(aggregated).toContainEqual(
      expect.objectContaining({
        plural: "pods",
        verbs: expect.arrayContaining(["watch"]),
        shortNames: ["po"],
      }),
    );
  });
});

describe("wrappers", () => {
  const key = { namespace: "default", name: "wrapped" };

  it("dryRun keeps nothing, whatever the verb", async () => {
    const dry = dryRun(client);
    await dry.create(ConfigMap, { metadata: key });
    await expect(client.get(ConfigMap, key)).rejects.toBeInstanceOf(NotFoundError);
    const object = await client.create(ConfigMap, { metadata: key, data: { a: "1" } });
    expect((await dry.update(ConfigMap, { ...object, data: { a: "2" } })).data).toEqual({ a: "2" });
    await dry.apply(ConfigMap, { metadata: key, data: { b: "1" } }, { fieldOwner: "ann" });
    await dry.delete(ConfigMap, key);
    await dry.deleteAllOf(ConfigMap, { namespace: "default", fieldSelector: "metadata.name=wrapped" });
    expect(await client.get(ConfigMap, key)).toEqual(object);
    await client.delete(ConfigMap, key);
  });

  it("withFieldOwner writes under its name, unless a call has another", async () => {
    const ann = withFieldOwner(client, "ann");
    const managers = (object: ConfigMap) => object.metadata.managedFields?.map(({ manager }) => manager);
    expect(
      managers(await ann.create(ConfigMap, { metadata: key, data: { a: "1" } }, { dryRun: true })),
    ).toEqual(["ann"]);
    const options = { dryRun: true, fieldOwner: "bob" };
    expect(managers(await ann.apply(ConfigMap, { metadata: key, data: { a: "1" } }, options))).toEqual([
      "bob",
    ]);
  });

  it("withFieldValidation refuses fields that the kind does not have", async () => {
    const strict = withFieldValidation(client, "Strict");
    const typo = { metadata: key, dat: { a: "1" } };
    await expect(strict.create(ConfigMap, typo, { dryRun: true })).rejects.toBeInstanceOf(BadRequestError);
    await expect(strict.create(ConfigMap, typo, { dryRun: true })).rejects.toThrow(/unknown field "dat"/);
    await expect(client.create(ConfigMap, typo, { dryRun: true })).resolves.toBeDefined();
  });

  it("inNamespace fills its namespace in, refuses other namespaces, and leaves cluster-scoped kinds alone", async () => {
    await client.create(Namespace, { metadata: { name: "dock" } });
    const dock = inNamespace(client, "dock");
    expect((await dock.create(ConfigMap, { metadata: { name: "a" } })).metadata.namespace).toBe("dock");
    expect((await dock.get(ConfigMap, { name: "a" })).metadata.namespace).toBe("dock");
    const listed = (await dock.list(ConfigMap)).items;
    expect(listed.every(({ metadata }) => metadata.namespace === "dock")).toBe(true);
    await expect(dock.get(ConfigMap, key)).rejects.toBeInstanceOf(InvalidCallError);
    await expect(dock.get(ConfigMap, key)).rejects.toThrow(/this client is limited to namespace dock/);
    await expect(dock.list(Node)).resolves.toMatchObject({ kind: "NodeList" });
  });

  it("recordUse reports the permission that every call needs", async () => {
    await client.list(ConfigMap);
    await client
      .status(Node)
      .get({ name: "none" })
      .catch(() => undefined);
    await client.raw("/version");
    await client.apply(ConfigMap, { metadata: key }, { fieldOwner: "ann", dryRun: true });
    expect(uses).toEqual([
      { verb: "list", group: "", resource: "configmaps" },
      { verb: "get", group: "", resource: "nodes", subresource: "status", name: "none" },
      { verb: "get", nonResourceUrl: "/version" },
      { verb: "patch", group: "", resource: "configmaps", ...key },
      // An apply of an object that is not there creates it.
      { verb: "create", group: "", resource: "configmaps", namespace: key.namespace },
    ]);
  });
});
