import { BeingDeletedError, deepEqual } from "@keelson/core";
import { CustomResourceDefinition } from "@keelson/core/kinds/apiextensions/v1";
import { Deployment } from "@keelson/core/kinds/apps/v1";
import { ConfigMap, Namespace, Node, Pod } from "@keelson/core/kinds/core/v1";
import { defineResource, z } from "@keelson/schema";
import { type Cluster, startCluster } from "@keelson/testkit";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import {
  addFinalizer,
  type Client,
  ConflictError,
  createClient,
  createOrPatch,
  createOrUpdate,
  ForbiddenError,
  find,
  httpTransport,
  InvalidCallError,
  inNamespace,
  isWrite,
  mapCalls,
  mergePatch,
  NotFoundError,
  removeFinalizer,
  TransportClosedError,
  WaitTimeoutError,
  waitFor,
  waitUntilDeleted,
} from "../../src/index.ts";
import { accessOf } from "../support/admin-access.ts";

let controlPlane: Cluster;
let transport: ReturnType<typeof httpTransport>;
let client: Client;
let namespace: string;
let count = 0;
/** `verb name` of the writes that were sent. */
let writes: string[];

beforeAll(async () => {
  controlPlane = await startCluster(process.env.KEELSON_LEVEL);
  transport = httpTransport(accessOf(controlPlane));
  client = mapCalls(createClient({ transport }), (call) => {
    if (isWrite(call))
      writes.push(`${call.verb}${call.subresource === undefined ? "" : ` ${call.subresource}`}`);
    return call;
  });
});
afterAll(async () => {
  await transport?.close();
  await controlPlane?.stop();
});
beforeEach(async () => {
  writes = [];
  namespace = `objects-${++count}`;
  await client.create(Namespace, { metadata: { name: namespace } });
  writes = [];
});

describe("find", () => {
  const key = () => ({ namespace, name: "web" });

  it("returns the object, or undefined if it does not exist", async () => {
    expect(await find(client, ConfigMap, key())).toBeUndefined();
    const { metadata } = await client.create(ConfigMap, { metadata: key() });
    expect((await find(client, ConfigMap, key()))?.metadata.uid).toBe(metadata.uid);
  });

  it("throws every error that does not mean that the object does not exist", async () => {
    const refused = mapCalls(client, () => {
      throw new TypeError("refused");
    });
    await expect(find(refused, ConfigMap, key())).rejects.toThrow("refused");
  });
});

describe("createOrUpdate", () => {
  const key = () => ({ namespace, name: "cargo" });
  const cargo = (data: Record<string, string>) => (current?: ConfigMap) => ({
    ...current,
    metadata: { ...current?.metadata, ...key() },
    data,
  });

  it("[CL6] creates, updates, and leaves alone what is as it is to be", async () => {
    expect(await createOrUpdate(client, ConfigMap, key(), cargo({ a: "1" }))).toMatchObject({
      result: "created",
    });
    const updated = await createOrUpdate(client, ConfigMap, key(), cargo({ a: "2" }));
    expect(updated).toMatchObject({ result: "updated", object: { data: { a: "2" } } });
    const unchanged = await createOrUpdate(client, ConfigMap, key(), cargo({ a: "2" }));
    expect(unchanged).toEqual({ result: "unchanged", object: updated.object });
    expect(writes).toEqual(["create", "update"]);
  });

  it("[CL6] refuses a function that renames the object", async () => {
    const rename = () => ({ metadata: { namespace, name: "other" } });
    const failure = await createOrUpdate(client, ConfigMap, key(), rename).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(InvalidCallError);
    expect(String(failure)).toMatch(/renamed the object to .*\/other; it must keep name and namespace/);
    expect(writes).toEqual([]);
  });

  it("[CL6] does not overwrite what another writer changed in between", async () => {
    await createOrUpdate(client, ConfigMap, key(), cargo({ a: "1" }));
    // The other's write comes after our read and before our update.
    const overtaken = client.with((next) => ({
      ...next,
      json: async (call) => {
        if (call.verb === "update")
          await client.patch(ConfigMap, key(), mergePatch({ data: { b: "theirs" } }));
        return next.json(call);
      },
    }));
    const fresh = () => ({ metadata: key(), data: { a: "2" } });
    const raced = createOrUpdate(overtaken, ConfigMap, key(), fresh);
    await expect(raced).rejects.toBeInstanceOf(ConflictError);
    expect((await client.get(ConfigMap, key())).data).toEqual({ a: "1", b: "theirs" });
  });

  it("[CL6] keeps the metadata that the function does not speak of, and finds that nothing changed", async () => {
    const metadata = { ...key(), labels: { theirs: "1" }, finalizers: ["keelson.dev/theirs"] };
    await client.create(ConfigMap, { metadata });
    const fresh = () => ({ metadata: key(), data: { a: "1" } });
    const { result, object } = await createOrUpdate(client, ConfigMap, key(), fresh);
    expect(result).toBe("updated");
    expect(object).toMatchObject({ metadata, data: { a: "1" } });
    expect(await createOrUpdate(client, ConfigMap, key(), fresh)).toEqual({ result: "unchanged", object });
  });

  it("[CL6] works in a client of one namespace", async () => {
    const here = inNamespace(client, namespace);
    const fresh = (current?: ConfigMap) => ({
      ...current,
      metadata: { ...current?.metadata, name: "cargo" },
      data: { a: "1" },
    });
    expect((await createOrUpdate(here, ConfigMap, { name: "cargo" }, fresh)).result).toBe("created");
    expect((await createOrUpdate(here, ConfigMap, { name: "cargo" }, fresh)).result).toBe("unchanged");
  });
});

describe("createOrPatch", () => {
  it("[CL6] says which of spec and status it wrote, each on its own path", async () => {
    const key = { name: `node-${namespace}` };
    const node = (zone: string, phase: "Pending" | "Running") => (current?: Node) => ({
      ...current,
      metadata: { ...current?.metadata, ...key, labels: { zone } },
      status: { ...current?.status, phase },
    });
    const steps = [
      ["north", "Pending"],
      ["north", "Pending"],
      ["south", "Pending"],
      ["south", "Running"],
      ["north", "Pending"],
    ] as const;
    const results: string[] = [];
    for (const [zone, phase] of steps) {
      const { result, object } = await createOrPatch(client, Node, key, node(zone, phase));
      results.push(result);
      expect(object).toMatchObject({ metadata: { labels: { zone } }, status: { phase } });
    }
    expect(results).toEqual(["created", "unchanged", "updated", "updatedStatusOnly", "updatedStatus"]);
    expect(writes).toEqual(["create", "patch status", "patch", "patch status", "patch", "patch status"]);
  });
});

describe("createOrPatch of an object whose status is the server's", () => {
  it("[CL6] leaves the status alone, and asks what is wanted once", async () => {
    let asked = 0;
    const pod = () => {
      asked += 1;
      return { metadata: { namespace, name: "a" }, spec: { containers: [{ name: "a", image: "a:1" }] } };
    };
    const { result, object } = await createOrPatch(client, Pod, { namespace, name: "a" }, pod);
    expect([result, asked, object.status?.phase]).toEqual(["created", 1, "Pending"]);
    expect(writes).toEqual(["create"]);
  });
});

describe("finalizers", () => {
  const mine = "keelson.dev/mine";
  const theirs = "keelson.dev/theirs";
  const key = () => ({ namespace, name: "cargo" });
  const create = (finalizers: readonly string[] = []) =>
    client.create(ConfigMap, { metadata: { ...key(), finalizers } });

  it("[CL8] are added once", async () => {
    const once = await addFinalizer(client, ConfigMap, await create(), mine);
    expect(once.metadata.finalizers).toEqual([mine]);
    expect(await addFinalizer(client, ConfigMap, once, mine)).toBe(once);
    expect(writes).toEqual(["create", "patch"]);
  });

  it("[CL8] are not added to an object that is being deleted, even if the caller has not seen that yet", async () => {
    const stale = await create([theirs]);
    await client.delete(ConfigMap, key());
    await expect(addFinalizer(client, ConfigMap, stale, mine)).rejects.toBeInstanceOf(BeingDeletedError);
  });

  it("[CL8] of other writers survive when one is added or removed from an old copy", async () => {
    const stale = await create();
    await addFinalizer(client, ConfigMap, stale, theirs);
    const both = await addFinalizer(client, ConfigMap, stale, mine);
    expect(both.metadata.finalizers).toEqual([theirs, mine]);
    await removeFinalizer(client, ConfigMap, both, theirs);
    const without = await removeFinalizer(client, ConfigMap, both, mine);
    expect(without?.metadata.finalizers).toBeUndefined();
  });

  it("[CL8] are removed by many at the same time without loss", async () => {
    const names = Array.from({ length: 12 }, (_, index) => `keelson.dev/f${index}`);
    const object = await create([...names, theirs]);
    await Promise.all(names.map((name) => removeFinalizer(client, ConfigMap, object, name)));
    expect((await client.get(ConfigMap, key())).metadata.finalizers).toEqual([theirs]);
  });

  it("[CL8] let the object go with the last one, and a second removal is no error", async () => {
    const object = await create([mine]);
    await client.delete(ConfigMap, key());
    await removeFinalizer(client, ConfigMap, object, mine);
    await expect(client.get(ConfigMap, key())).rejects.toBeInstanceOf(NotFoundError);
    expect(await removeFinalizer(client, ConfigMap, object, mine)).toBeUndefined();
    await create([mine]);
    expect(await removeFinalizer(client, ConfigMap, object, mine)).toBeUndefined();
    expect((await client.get(ConfigMap, key())).metadata.finalizers).toEqual([mine]);
  });

  it("[CL8] are not added to another object that has taken the name", async () => {
    const object = await create();
    await client.delete(ConfigMap, key());
    await create();
    await expect(addFinalizer(client, ConfigMap, object, mine)).rejects.toThrow(
      /another object has its name/,
    );
  });
});

describe("waitFor", () => {
  const key = () => ({ namespace, name: "cargo" });
  const loaded = (object: ConfigMap): boolean => object.data?.loaded === "yes";
  /** A client that says when its watch has begun, and how often it has listed. */
  const observed = () => {
    const calls: string[] = [];
    const seen = mapCalls(client, (call) => {
      calls.push(call.verb);
      return call;
    });
    const watching = () => expect.poll(() => calls).toContain("watch");
    return { seen, calls, watching };
  };

  it("returns at once when it is so", async () => {
    const created = await client.create(ConfigMap, { metadata: key(), data: { loaded: "yes" } });
    expect(await waitFor(client, ConfigMap, key(), loaded)).toEqual(created);
  });

  it("sees an object appear, change and go, without looking twice", async () => {
    const appearing = observed();
    const appeared = waitFor(appearing.seen, ConfigMap, key(), () => true);
    await appearing.watching();
    await client.create(ConfigMap, { metadata: key() });
    expect(await appeared).toMatchObject({ metadata: key() });
    const changing = observed();
    const changed = waitFor(changing.seen, ConfigMap, key(), loaded);
    await changing.watching();
    await client.patch(ConfigMap, key(), mergePatch({ data: { loaded: "yes" } }));
    expect((await changed).data).toEqual({ loaded: "yes" });
    const going = observed();
    const gone = waitUntilDeleted(going.seen, ConfigMap, key());
    await going.watching();
    await client.delete(ConfigMap, key());
    await gone;
    for (const { calls } of [appearing, changing, going]) expect(calls).toEqual(["list", "watch"]);
  });

  it("gives up in time, and says what it waited for", async () => {
    const failure = await waitFor(client, ConfigMap, key(), loaded, { timeoutMs: 50 }).catch(
      (error: unknown) => error,
    );
    expect(failure).toBeInstanceOf(WaitTimeoutError);
    expect(String(failure)).toMatch(
      /wait for configmaps .*\/cargo: what was waited for was not so after 0.05 s/,
    );
  });

  it("says what was in its way when it gives up", async () => {
    const away = httpTransport({ ...accessOf(controlPlane), server: "https://127.0.0.1:65500" });
    const waiting = waitFor(createClient({ transport: away }), ConfigMap, key(), loaded, {
      timeoutMs: 1_500,
    });
    await expect(waiting).rejects.toMatchObject({ code: "WAIT_TIMEOUT", cause: { code: "CONNECTION" } });
    await away.close();
  });

  it("throws the reason of its signal, and passes refusals on", async () => {
    const controller = new AbortController();
    const waiting = waitFor(client, ConfigMap, key(), loaded, { signal: controller.signal });
    controller.abort(new Error("enough"));
    await expect(waiting).rejects.toThrow("enough");
    const eve = httpTransport(accessOf(await controlPlane.createUser({ user: "eve" })));
    const refused = waitFor(createClient({ transport: eve }), ConfigMap, key(), loaded);
    await expect(refused).rejects.toBeInstanceOf(ForbiddenError);
    await eve.close();
  });

  it("ends when its transport is closed", async () => {
    const transport = httpTransport(accessOf(controlPlane));
    const waiting = waitFor(createClient({ transport }), ConfigMap, key(), loaded);
    const ended = expect(waiting).rejects.toBeInstanceOf(TransportClosedError);
    await transport.close();
    await ended;
  });

  it("outlives a restart of the API server", async () => {
    const { seen, watching } = observed();
    const waiting = waitFor(seen, ConfigMap, key(), loaded);
    await watching();
    await controlPlane.restart("kube-apiserver");
    await client.create(ConfigMap, { metadata: key(), data: { loaded: "yes" } });
    expect((await waiting).data).toEqual({ loaded: "yes" });
  });
});

describe("typed server-side apply", () => {
  it("merges lists by key and gives a whole object back", async () => {
    const template = (image: string) => ({
      metadata: { labels: { app: "web" } },
      spec: { containers: [{ name: "web", image }] },
    });
    const spec = { selector: { matchLabels: { app: "web" } } };
    const metadata = { namespace, name: "web" };
    const ann = { fieldOwner: "ann" };
    await client.apply(Deployment, { metadata, spec: { ...spec, template: template("web:1") } }, ann);
    const sidecar = { template: { spec: { containers: [{ name: "log", image: "log:1" }] } } };
    await client.apply(Deployment, { metadata, spec: sidecar }, { fieldOwner: "bob" });
    const applied = await client.apply(
      Deployment,
      { metadata, spec: { ...spec, template: template("web:2") } },
      ann,
    );
    const images = applied.spec?.template.spec?.containers.map(({ name, image }) => [name, image]);
    expect(images).toEqual([
      ["web", "web:2"],
      ["log", "log:1"],
    ]);
    const again = await client.apply(
      Deployment,
      { metadata, spec: { ...spec, template: template("web:2") } },
      ann,
    );
    expect(deepEqual(again, applied)).toBe(true);
  });
});

describe("a kind that was defined with a schema", () => {
  it("is installed, created without its defaults, applied and read back, as its types say", async () => {
    const Boat = defineResource({
      group: "objects.keelson.dev",
      version: "v1",
      kind: "Boat",
      scope: "Namespaced",
      spec: z.object({ name: z.string(), masts: z.int32().min(1).default(2) }),
      status: z.object({ afloat: z.boolean() }),
    });
    await client.apply(CustomResourceDefinition, Boat.crd(), { fieldOwner: "ann" });
    const established = (crd: CustomResourceDefinition): boolean =>
      crd.status?.conditions?.some(({ type, status }) => type === "Established" && status === "True") ===
      true;
    await waitFor(client, CustomResourceDefinition, { name: "boats.objects.keelson.dev" }, established);
    const metadata = { namespace, name: "ark" };
    const boat = await client.create(Boat, { metadata, spec: { name: "Ark" } });
    expect(boat.spec.masts).toBe(2);
    const applied = await client.apply(
      Boat,
      { metadata, spec: { masts: 3 } },
      { fieldOwner: "bob", force: true },
    );
    expect(applied.spec).toEqual({ name: "Ark", masts: 3 });
    const afloat = await client.status(Boat).patch(metadata, mergePatch({ status: { afloat: true } }));
    expect(afloat.status?.afloat).toBe(true);
    const wrong = client.create(Boat, {
      metadata: { namespace, name: "raft" },
      spec: { name: "Raft", masts: 0 },
    });
    await expect(wrong).rejects.toThrow(/spec.masts: Invalid value: 0/);
  });
});
