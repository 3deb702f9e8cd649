import { sleep, systemClock } from "@keelson/core";
import { type RunningOperator, runOperator, startWorld, type World } from "@keelson/testkit";
import {
  conditions,
  controller,
  defineOperator,
  defineResource,
  ForeignObjectError,
  find,
  type ObjectContext,
  type ObjectOf,
  type ReconcileResult,
  TerminalError,
  z,
} from "keelson";
import { ConfigMap, Secret } from "keelson/kinds/core/v1";
import { Event } from "keelson/kinds/events/v1";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";

const Gadget = defineResource({
  group: "context.keelson.dev",
  version: "v1",
  kind: "Gadget",
  spec: z.object({ size: z.int32().default(1) }).prefault({}),
  status: z.object({ count: z.int32().exactOptional(), conditions: conditions().exactOptional() }),
});
type Gadget = ObjectOf<typeof Gadget>;
type Act = (context: ObjectContext<Gadget>) => Promise<ReconcileResult>;

const finalizer = "context.keelson.dev/cleanup";
const formerFinalizer = "context.keelson.dev/former";

/** What is done to a Gadget, by its name. */
const acts = new Map<string, { reconcile: Act; cleanUp?: Act }>();
const actsOf = (name: string) => acts.get(name) ?? { reconcile: async () => undefined };

const gadgets = controller(Gadget, { backoff: () => constantLimiter })
  .owns(ConfigMap)
  .owns(Secret, { verbs: ["create", "patch"] })
  .finalize(finalizer, (context) => actsOf(context.key.name).cleanUp?.(context))
  .dropFinalizer(formerFinalizer)
  .reconcile((context) => actsOf(context.key.name).reconcile(context));

const constantLimiter = { when: () => 10, forget: () => undefined, numRequeues: () => 0 };

const operator = defineOperator({ name: "gadgets", controllers: [gadgets] });

let world: World;
let running: RunningOperator;
let namespace: string;

beforeAll(async () => {
  world = await startWorld(process.env.KEELSON_LEVEL);
  running = await runOperator(operator, { access: world.cluster });
});
afterAll(async () => {
  await running?.stop();
  await world?.stop();
});
beforeEach(async () => {
  namespace = await world.createNamespace();
});

let count = 0;

/** Creates a Gadget and resolves with what its first reconcile that succeeds returns. */
async function reconciled<Value>(act: (context: ObjectContext<Gadget>) => Promise<Value>): Promise<Value> {
  const name = `gadget-${++count}`;
  const result = Promise.withResolvers<Value>();
  let isDone = false;
  acts.set(name, {
    reconcile: async (context) => {
      if (isDone) return;
      result.resolve(await act(context));
      isDone = true;
    },
  });
  await world.client.create(Gadget, { metadata: { namespace, name } });
  return result.promise;
}

const reasonsOf = async (name: string): Promise<readonly (string | undefined)[]> => {
  const { items } = await world.client.list(Event, { namespace });
  return items.filter(({ regarding }) => regarding?.name === name).map(({ reason }) => reason);
};

describe("the objects of a context", () => {
  it("are applied as owned objects in the namespace of the object, once", async () => {
    const results = await reconciled(async ({ object, apply, applyWithResult }) => {
      const desired = { metadata: { name: object.metadata.name }, data: { a: "1" } };
      const created = await applyWithResult(ConfigMap, desired);
      const unchanged = await applyWithResult(ConfigMap, desired);
      const applied = await apply(ConfigMap, { ...desired, data: { a: "2" } });
      return { created, unchanged, applied, uid: object.metadata.uid };
    });
    expect([results.created.result, results.unchanged.result]).toEqual(["created", "unchanged"]);
    expect(results.applied.data).toEqual({ a: "2" });
    expect(results.applied.metadata).toMatchObject({
      namespace,
      ownerReferences: [{ kind: "Gadget", uid: results.uid, controller: true }],
    });
    const { managedFields } = (
      await world.client.get(ConfigMap, {
        namespace,
        name: results.applied.metadata.name,
      })
    ).metadata;
    expect(managedFields?.map(({ manager }) => manager)).toContain("gadget");
  });

  it("are found by name or key, and undefined if they do not exist", async () => {
    await world.client.create(ConfigMap, { metadata: { namespace, name: "given" }, data: { a: "1" } });
    const found = await reconciled(async ({ find: findIn }) => [
      await findIn(ConfigMap, "given"),
      await findIn(ConfigMap, { namespace, name: "given" }),
      await findIn(ConfigMap, "none"),
    ]);
    expect(found.map((object) => object?.data)).toEqual([{ a: "1" }, { a: "1" }, undefined]);
  });

  it("are created once, with fields that are generated only then", async () => {
    let generated = 0;
    const generate = () => ({ stringData: { password: `secret-${++generated}` } });
    const secrets = await reconciled(async ({ createOnce }) => [
      await createOnce(Secret, { metadata: { name: "password" } }, generate),
      await createOnce(Secret, { metadata: { name: "password" } }, generate),
    ]);
    const encoded = Buffer.from("secret-1").toString("base64");
    expect(secrets.map(({ data }) => data?.password)).toEqual([encoded, encoded]);
    expect(generated).toBe(1);
  });

  it("are left alone if they are foreign, by every operation", async () => {
    await world.client.create(ConfigMap, { metadata: { namespace, name: "theirs" }, data: { a: "1" } });
    const outcome = await reconciled(async ({ apply, createOnce, remove, prune }) => ({
      apply: await apply(ConfigMap, { metadata: { name: "theirs" } }).catch((error: unknown) => error),
      createOnce: await createOnce(ConfigMap, { metadata: { name: "theirs" } }).catch(
        (error: unknown) => error,
      ),
      removed: await remove(ConfigMap, "theirs"),
      pruned: await prune(ConfigMap, []),
    }));
    expect(outcome.apply).toBeInstanceOf(ForeignObjectError);
    expect(outcome.createOnce).toBeInstanceOf(ForeignObjectError);
    expect([outcome.removed, outcome.pruned]).toEqual([false, []]);
    const kept = await world.client.get(ConfigMap, { namespace, name: "theirs" });
    expect(kept.data).toEqual({ a: "1" });
  });

  it("are pruned by name, and removed one by one", async () => {
    const outcome = await reconciled(async ({ apply, prune, remove }) => {
      for (const name of ["a", "b", "c"]) await apply(ConfigMap, { metadata: { name } });
      const pruned = await prune(ConfigMap, ["b"]);
      return { pruned, again: await prune(ConfigMap, ["b"]), removed: await remove(ConfigMap, "b") };
    });
    expect([...outcome.pruned].sort()).toEqual(["a", "c"]);
    expect(outcome).toMatchObject({ again: [], removed: true });
    for (const name of ["a", "b", "c"])
      await expect.poll(() => find(world.client, ConfigMap, { namespace, name })).toBeUndefined();
  });
});

describe("the status by a context", () => {
  it("is what is set, keeps its conditions, and is written once", async () => {
    const writes = await reconciled(async ({ setStatus, setCondition }) => [
      await setCondition({ type: "Ready", status: "False", reason: "Starting", message: "" }),
      await setStatus({ count: 1 }),
      await setStatus({ count: 1 }),
      await setCondition({ type: "Ready", status: "True", reason: "Started", message: "all is well" }),
      await setCondition({ type: "Ready", status: "True", reason: "Started", message: "all is well" }),
    ]);
    expect(writes).toEqual([true, true, false, true, false]);
    const { status, metadata } = await world.client.get(Gadget, { namespace, name: `gadget-${count}` });
    expect(status).toEqual({
      count: 1,
      conditions: [
        {
          type: "Ready",
          status: "True",
          reason: "Started",
          message: "all is well",
          observedGeneration: metadata.generation,
          lastTransitionTime: expect.any(String),
        },
      ],
    });
  });

  it("loses fields that are no longer set", async () => {
    await reconciled(async ({ setStatus }) => {
      await setStatus({ count: 1 });
      await setStatus({});
    });
    const { status } = await world.client.get(Gadget, { namespace, name: `gadget-${count}` });
    expect(status ?? {}).toEqual({});
  });
});

it("[CT2] a terminal error is tried again until the status is written that shows it", async () => {
  const name = `gadget-${++count}`;
  const counts = [2 ** 40, 2 ** 40, 1];
  let runs = 0;
  acts.set(name, {
    reconcile: async ({ setStatus }) => {
      const next = counts[Math.min(runs, counts.length - 1)] ?? 1;
      runs += 1;
      // The server refuses a status with a number of more than 32 bits.
      await setStatus({ count: next }).catch(() => undefined);
      throw new TerminalError("the spec cannot be fulfilled");
    },
  });
  await world.client.create(Gadget, { metadata: { namespace, name } });
  await expect.poll(async () => (await world.client.get(Gadget, { namespace, name })).status?.count).toBe(1);
  // The write of the status is an event; after it nothing is left to be tried, be it after 10 ms.
  const runsWithin = async (ms: number): Promise<number> => {
    const before = runs;
    await sleep(systemClock, ms);
    return runs - before;
  };
  await expect.poll(() => runsWithin(100)).toBe(0);
});

it("records Events about the object", async () => {
  const name = await reconciled(async ({ object, event }) => {
    event("Normal", "Tested", "it was tested");
    return object.metadata.name;
  });
  await expect.poll(() => reasonsOf(name)).toContain("Tested");
});

it("works when it is copied, and its operations when they are taken out of it", async () => {
  const copied = await reconciled(async (context) => {
    const copy = { ...context };
    const { apply } = copy;
    await apply(ConfigMap, { metadata: { name: "of-a-copy" } });
    return { key: copy.key, keys: Object.keys(copy), isSame: copy.client === context.client };
  });
  expect(copied.key).toEqual({ namespace, name: `gadget-${count}` });
  expect(copied.keys).toEqual(expect.arrayContaining(["object", "apply", "signal", "clock", "settings"]));
  expect(copied.isSame).toBe(true);
});

describe("a finalizer", () => {
  it("is on the object before its first reconcile", async () => {
    const finalizers = await reconciled(async ({ object }) => object.metadata.finalizers);
    expect(finalizers).toContain(finalizer);
    const { metadata } = await world.client.get(Gadget, { namespace, name: `gadget-${count}` });
    expect(metadata.finalizers).toContain(finalizer);
  });

  it("holds the object until its clean-up succeeds, and Events show why", async () => {
    const name = `gadget-${++count}`;
    const calls: string[] = [];
    acts.set(name, {
      reconcile: async () => void calls.push("reconcile"),
      cleanUp: async ({ object }) => {
        calls.push(object.metadata.deletionTimestamp === undefined ? "early" : "clean up");
        if (calls.length < 4) throw new Error("the record is in use");
        return calls.length < 5 ? { requeueAfterMs: 10 } : undefined;
      },
    });
    await world.client.create(Gadget, { metadata: { namespace, name } });
    await expect.poll(() => calls.length).toBeGreaterThan(0);
    await running.idle();
    calls.splice(0, calls.length, "reconcile");
    await world.client.delete(Gadget, { namespace, name });
    await expect.poll(() => find(world.client, Gadget, { namespace, name })).toBeUndefined();
    expect(calls).toEqual(["reconcile", "clean up", "clean up", "clean up", "clean up"]);
    await expect
      .poll(() => reasonsOf(name))
      .toEqual(expect.arrayContaining(["CleanupFailed", "CleanupPending"]));
  });

  it("of a former version is removed, and no other", async () => {
    const name = `gadget-${++count}`;
    const finalizers = [formerFinalizer, "example.com/other"];
    await world.client.create(Gadget, { metadata: { namespace, name, finalizers } });
    await expect
      .poll(async () => (await world.client.get(Gadget, { namespace, name })).metadata.finalizers)
      .toEqual(["example.com/other", finalizer]);
  });
});
