import { describe, expect, it } from "vitest";
import {
  at,
  gadget,
  note,
  refusal,
  sent,
  servedKind,
  stored,
  type World,
  writerWorld,
} from "../../../test/support/writer-world.ts";

async function created(world: World, fields: Readonly<Record<string, unknown>> = {}): Promise<string> {
  const object = sent(gadget, { name: "a" }, fields);
  const { metadata } = await world.writer.create(at(gadget, ""), object, world.options);
  return metadata.resourceVersion ?? "";
}

describe("an object that is replaced", () => {
  it("keeps its uid and creation time, and counts the change", async () => {
    const world = writerWorld();
    const resourceVersion = await created(world, { spec: { size: 1 } });
    const before = stored(world, gadget, "a");
    const object = sent(
      gadget,
      { name: "a", resourceVersion, creationTimestamp: "2000-01-01T00:00:00Z", generation: 50 },
      { spec: { size: 2 } },
    );
    const { object: after, created: isNew } = await world.writer.update(
      at(gadget, "a"),
      object,
      world.options,
    );
    expect(isNew).toBe(false);
    expect(after).toMatchObject({
      metadata: {
        uid: before?.metadata.uid,
        creationTimestamp: before?.metadata.creationTimestamp,
        generation: 2,
        namespace: "shop",
      },
      spec: { size: 2 },
    });
    expect(stored(world, gadget, "a")).toEqual(after);
  });

  it("does not count a change of its metadata", async () => {
    const world = writerWorld();
    const resourceVersion = await created(world, { spec: { size: 1 } });
    const object = sent(gadget, { name: "a", resourceVersion, labels: { x: "y" } }, { spec: { size: 1 } });
    const { object: after } = await world.writer.update(at(gadget, "a"), object, world.options);
    expect(after.metadata).toMatchObject({ generation: 1, labels: { x: "y" } });
  });

  it("is not written if nothing changes", async () => {
    const world = writerWorld();
    const resourceVersion = await created(world, { spec: { size: 1 } });
    const object = sent(gadget, { name: "a", resourceVersion, labels: {} }, { spec: { size: 1 } });
    world.now += 60_000;
    const { object: after } = await world.writer.update(at(gadget, "a"), object, world.options);
    expect(after).toBe(stored(world, gadget, "a"));
    expect(after.metadata.resourceVersion).toBe(resourceVersion);
  });

  it("is refused if it was read before the last write", async () => {
    const world = writerWorld();
    await created(world);
    const object = sent(gadget, { name: "a", resourceVersion: "1" });
    expect(await refusal(world.writer.update(at(gadget, "a"), object, world.options))).toEqual({
      kind: "Status",
      apiVersion: "v1",
      metadata: {},
      status: "Failure",
      message:
        'Operation cannot be fulfilled on gadgets.example.com "a": the object has been modified; please apply your changes to the latest version and try again',
      reason: "Conflict",
      details: { name: "a", group: "example.com", kind: "gadgets" },
      code: 409,
    });
  });

  it("needs a resourceVersion, unless its kind can be overwritten", async () => {
    const world = writerWorld();
    await created(world);
    const update = world.writer.update(at(gadget, "a"), sent(gadget, { name: "a" }), world.options);
    expect(await refusal(update)).toMatchObject({
      code: 422,
      message:
        'gadgets.example.com "a" is invalid: metadata.resourceVersion: Invalid value: 0: must be specified for an update',
      details: { name: "a", group: "example.com", kind: "gadgets" },
    });
    await world.writer.create(at(note, ""), sent(note, { name: "b" }), world.options);
    const { object } = await world.writer.update(
      at(note, "b"),
      sent(note, { name: "b" }, { data: 1 }),
      world.options,
    );
    expect(object).toMatchObject({ data: 1 });
  });

  it("is refused with a resourceVersion that is no number", async () => {
    const world = writerWorld();
    await created(world);
    const object = sent(gadget, { name: "a", resourceVersion: "abc" });
    expect(await refusal(world.writer.update(at(gadget, "a"), object, world.options))).toMatchObject({
      code: 500,
      message: 'strconv.ParseUint: parsing "abc": invalid syntax',
    });
  });

  it("is refused if it is another object of that name", async () => {
    const world = writerWorld();
    await created(world);
    const uid = stored(world, gadget, "a")?.metadata.uid ?? "";
    const update = world.writer.update(
      at(gadget, "a"),
      sent(gadget, { name: "a", uid: "123" }),
      world.options,
    );
    expect((await refusal(update)).message).toBe(
      `Operation cannot be fulfilled on gadgets.example.com "a": StorageError: invalid object, Code: 4, Key: /registry/example.com/gadgets/shop/a, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: 123, UID in object meta: ${uid}`,
    );
  });

  it.each([
    [{ name: "b" }, "the name of the object (b) does not match the name on the URL (a)"],
    [{}, "the name of the object (a based on URL) was undeterminable: name must be provided"],
    [
      { name: "a", namespace: "q" },
      "the namespace of the provided object does not match the namespace sent on the request",
    ],
  ])("is refused with metadata %j on another path", async (metadata, message) => {
    const world = writerWorld();
    const update = world.writer.update(at(note, "a"), sent(note, metadata), world.options);
    expect(await refusal(update)).toMatchObject({ code: 400, message });
  });

  it("is not found if it does not exist", async () => {
    const world = writerWorld();
    const update = world.writer.update(at(note, "a"), sent(note, { name: "a", uid: "1" }), world.options);
    expect(await refusal(update)).toMatchObject({ code: 404, message: 'notes "a" not found' });
  });

  it("is created where its kind allows it, and admitted as such", async () => {
    const lease = servedKind("Lease", { strategy: { allowsCreateOnUpdate: true } });
    const world = writerWorld([lease]);
    const operations: string[] = [];
    world.admission = {
      mutating: [{ name: "m", mutate: ({ operation }) => void operations.push(operation) }],
      validating: [{ name: "v", validate: ({ operation }) => void operations.push(operation) }],
    };
    const update = world.writer.update(at(lease, "a"), sent(lease, { name: "a" }), world.options);
    expect(await update).toMatchObject({ created: true, object: { metadata: { name: "a" } } });
    expect(operations).toEqual(["CREATE", "CREATE"]);
  });

  it("stores nothing on a dry run", async () => {
    const world = writerWorld();
    const resourceVersion = await created(world, { spec: { size: 1 } });
    const before = stored(world, gadget, "a");
    const object = sent(gadget, { name: "a", resourceVersion }, { spec: { size: 2 } });
    const { object: after } = await world.writer.update(at(gadget, "a"), object, {
      ...world.options,
      dryRun: true,
    });
    expect(after).toMatchObject({ metadata: { generation: 2, resourceVersion }, spec: { size: 2 } });
    expect(stored(world, gadget, "a")).toBe(before);
  });
});

describe("the status of a custom kind", () => {
  it("is all that its path writes", async () => {
    const world = writerWorld();
    const resourceVersion = await created(world, { spec: { size: 1 } });
    const object = sent(
      gadget,
      { name: "a", resourceVersion, labels: { x: "y" }, finalizers: ["e.com/x"] },
      { spec: { size: 9 }, status: { phase: "Ready" } },
    );
    const { object: after } = await world.writer.update(at(gadget, "a", "status"), object, world.options);
    expect(after).toMatchObject({
      spec: { size: 1 },
      status: { phase: "Ready" },
      metadata: { generation: 1 },
    });
    expect(after.metadata).not.toHaveProperty("labels");
    expect(after.metadata).not.toHaveProperty("finalizers");
  });

  it("is left alone by the path of the object", async () => {
    const world = writerWorld();
    const resourceVersion = await created(world);
    const status = sent(gadget, { name: "a", resourceVersion }, { status: { phase: "Ready" } });
    const { object } = await world.writer.update(at(gadget, "a", "status"), status, world.options);
    const next = sent(
      gadget,
      { name: "a", resourceVersion: object.metadata.resourceVersion ?? "" },
      { spec: { size: 2 }, status: { phase: "Broken" } },
    );
    const { object: after } = await world.writer.update(at(gadget, "a"), next, world.options);
    expect(after).toMatchObject({ spec: { size: 2 }, status: { phase: "Ready" } });
  });

  it("is never created by its path", async () => {
    const world = writerWorld();
    const object = sent(gadget, { name: "a" }, { status: {} });
    const update = world.writer.update(at(gadget, "a", "status"), object, world.options);
    expect((await refusal(update)).reason).toBe("NotFound");
  });

  it("counts as a change of the object without a status subresource", async () => {
    const bare = servedKind("Bare", {
      group: "example.com",
      isCustom: true,
      strategy: { countsGenerations: true },
    });
    const world = writerWorld([bare]);
    await world.writer.create(at(bare, ""), sent(bare, { name: "a" }), world.options);
    const update = world.writer.update(
      at(bare, "a"),
      sent(bare, { name: "a" }, { status: { x: 1 } }),
      world.options,
    );
    expect((await update).object.metadata.generation).toBe(2);
  });
});

describe("an object that is being deleted", () => {
  async function deleting(world: World): Promise<string> {
    const object = sent(gadget, { name: "a", finalizers: ["e.com/x"] });
    await world.writer.create(at(gadget, ""), object, world.options);
    await world.writer.delete(at(gadget, "a"), world.options);
    return stored(world, gadget, "a")?.metadata.resourceVersion ?? "";
  }

  it("is removed with its last finalizer, and the response is its last state", async () => {
    const world = writerWorld();
    const resourceVersion = await deleting(world);
    const dry = { ...world.options, dryRun: true };
    await world.writer.update(at(gadget, "a"), sent(gadget, { name: "a", resourceVersion }), dry);
    expect(stored(world, gadget, "a")).toBeDefined();
    const object = sent(gadget, { name: "a", resourceVersion });
    const { object: last } = await world.writer.update(at(gadget, "a"), object, world.options);
    expect(stored(world, gadget, "a")).toBeUndefined();
    expect(last.metadata).toMatchObject({ resourceVersion, deletionGracePeriodSeconds: 0 });
    expect(last.metadata).not.toHaveProperty("finalizers");
  });

  it("keeps the time of its deletion", async () => {
    const world = writerWorld();
    const resourceVersion = await deleting(world);
    const metadata = { name: "a", resourceVersion, finalizers: ["e.com/x"], labels: { x: "y" } };
    const { object } = await world.writer.update(at(gadget, "a"), sent(gadget, metadata), world.options);
    expect(object.metadata).toMatchObject({
      deletionTimestamp: "2030-01-01T00:00:00Z",
      deletionGracePeriodSeconds: 0,
    });
  });

  it("refuses new finalizers, with the problem twice", async () => {
    const world = writerWorld();
    const resourceVersion = await deleting(world);
    const object = sent(gadget, { name: "a", resourceVersion, finalizers: ["e.com/x", "e.com/b"] });
    const message =
      'Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{"e.com/b"}';
    const cause = { reason: "FieldValueForbidden", message, field: "metadata.finalizers" };
    expect(await refusal(world.writer.update(at(gadget, "a"), object, world.options))).toMatchObject({
      code: 422,
      message: `Gadget.example.com "a" is invalid: metadata.finalizers: ${message}`,
      details: { name: "a", group: "example.com", kind: "Gadget", causes: [cause, cause] },
    });
  });

  it("of a Namespace stays while its spec has finalizers", async () => {
    const namespace = servedKind("Namespace", { scope: "Cluster" });
    const world = writerWorld([namespace]);
    const spec = { finalizers: ["kubernetes"] };
    await world.writer.create(at(namespace, ""), sent(namespace, { name: "a" }, { spec }), world.options);
    const response = await world.writer.delete(at(namespace, "a"), world.options);
    expect(response).toMatchObject({
      metadata: { deletionTimestamp: "2030-01-01T00:00:00Z" },
      status: { phase: "Terminating" },
    });
    expect(response.metadata).not.toHaveProperty("deletionGracePeriodSeconds");
    const kept = sent(namespace, { name: "a", labels: { x: "y" } }, { spec });
    await world.writer.update(at(namespace, "a"), kept, world.options);
    expect(await world.writer.delete(at(namespace, "a"), world.options)).toEqual(
      stored(world, namespace, "a"),
    );
    const done = sent(namespace, { name: "a" }, { spec: {} });
    await world.writer.update(at(namespace, "a", "finalize"), done, world.options);
    expect(stored(world, namespace, "a")).toBeUndefined();
  });
});
