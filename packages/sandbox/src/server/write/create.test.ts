import { describe, expect, it } from "vitest";
import {
  at,
  gadget,
  note,
  refusal,
  sent,
  servedKind,
  stored,
  writerWorld,
} from "../../../test/support/writer-world.ts";

describe("an object that is created", () => {
  it("gets a uid, a creation time, the namespace of the request and a first generation", async () => {
    const world = writerWorld();
    const created = await world.writer.create(
      at(gadget, ""),
      sent(gadget, { name: "a" }, { spec: {} }),
      world.options,
    );
    expect(created.metadata).toMatchObject({
      name: "a",
      namespace: "shop",
      uid: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/),
      creationTimestamp: "2030-01-01T00:00:00Z",
      generation: 1,
      resourceVersion: String(world.store.revision),
    });
    expect(stored(world, gadget, "a")).toEqual(created);
    expect(Object.isFrozen(created)).toBe(true);
  });

  it("loses fields that only the server sets", async () => {
    const world = writerWorld();
    const metadata = {
      name: "a",
      uid: "mine",
      selfLink: "/x",
      deletionTimestamp: "2020-01-01T00:00:00Z",
      deletionGracePeriodSeconds: 5,
      creationTimestamp: "2020-01-01T00:00:00Z",
      generation: 7,
    };
    const { metadata: created } = await world.writer.create(
      at(gadget, ""),
      sent(gadget, metadata),
      world.options,
    );
    expect(created).not.toHaveProperty("selfLink");
    expect(created).not.toHaveProperty("deletionTimestamp");
    expect(created).not.toHaveProperty("deletionGracePeriodSeconds");
    expect(created).toMatchObject({ generation: 1, creationTimestamp: "2030-01-01T00:00:00Z" });
    expect(created.uid).not.toBe("mine");
  });

  it("keeps a generation that is sent, if its kind counts none", async () => {
    const world = writerWorld();
    const created = await world.writer.create(
      at(note, ""),
      sent(note, { name: "a", generation: 7 }),
      world.options,
    );
    expect(created.metadata.generation).toBe(7);
  });

  it("of a custom kind with a status subresource loses its status", async () => {
    const world = writerWorld();
    const object = sent(gadget, { name: "a" }, { status: { phase: "Ready" } });
    expect(await world.writer.create(at(gadget, ""), object, world.options)).not.toHaveProperty("status");
  });

  it("is refused with a resourceVersion, though not with one that is no number", async () => {
    const world = writerWorld();
    const versioned = sent(note, { name: "a", resourceVersion: "5" });
    expect(await refusal(world.writer.create(at(note, ""), versioned, world.options))).toEqual({
      kind: "Status",
      apiVersion: "v1",
      metadata: {},
      status: "Failure",
      message: "resourceVersion should not be set on objects to be created",
      code: 500,
    });
    const odd = sent(note, { name: "a", resourceVersion: "abc" });
    const created = await world.writer.create(at(note, ""), odd, world.options);
    expect(created.metadata.resourceVersion).toBe(String(world.store.revision));
  });

  it("is refused in another namespace than that of the request", async () => {
    const world = writerWorld();
    const object = sent(note, { name: "a", namespace: "other" });
    expect(await refusal(world.writer.create(at(note, ""), object, world.options))).toMatchObject({
      code: 400,
      message: "the namespace of the provided object does not match the namespace sent on the request",
    });
  });

  it("of a kind without namespaces loses the one it names", async () => {
    const zone = servedKind("Zone", { scope: "Cluster" });
    const world = writerWorld([zone]);
    const created = await world.writer.create(
      at(zone, ""),
      sent(zone, { name: "a", namespace: "x" }),
      world.options,
    );
    expect(created.metadata).not.toHaveProperty("namespace");
  });

  it("is refused if the name exists, with a note if that object is being deleted", async () => {
    const world = writerWorld();
    await world.writer.create(
      at(note, ""),
      sent(note, { name: "a", finalizers: ["e.com/x"] }),
      world.options,
    );
    const again = (): Promise<unknown> =>
      world.writer.create(at(note, ""), sent(note, { name: "a" }), world.options);
    expect(await refusal(again())).toMatchObject({
      code: 409,
      reason: "AlreadyExists",
      message: 'notes "a" already exists',
      details: { name: "a", kind: "notes" },
    });
    await world.writer.delete(at(note, "a"), world.options);
    expect((await refusal(again())).message).toBe('object is being deleted: notes "a" already exists');
  });

  it("has equal owners once, with a warning", async () => {
    const world = writerWorld();
    const owner = { apiVersion: "v1", kind: "Note", name: "o", uid: "u1" };
    const object = sent(note, { name: "a", ownerReferences: [owner, { ...owner }] });
    const created = await world.writer.create(at(note, ""), object, world.options);
    expect(created.metadata.ownerReferences).toEqual([owner]);
    expect(world.warnings).toEqual([
      ".metadata.ownerReferences contains duplicate entries; API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: u1",
    ]);
  });

  it("stores nothing on a dry run, and returns no resourceVersion", async () => {
    const world = writerWorld();
    const { revision } = world.store;
    const created = await world.writer.create(at(note, ""), sent(note, { name: "a" }), {
      ...world.options,
      dryRun: true,
    });
    expect(created.metadata).toHaveProperty("uid");
    expect(created.metadata).not.toHaveProperty("resourceVersion");
    expect(world.store.revision).toBe(revision);
  });

  it("is refused on a dry run too if its name is taken", async () => {
    const world = writerWorld();
    await world.writer.create(at(note, ""), sent(note, { name: "a" }), world.options);
    const dry = world.writer.create(at(note, ""), sent(note, { name: "a" }), {
      ...world.options,
      dryRun: true,
    });
    expect((await refusal(dry)).reason).toBe("AlreadyExists");
  });

  it("needs a name", async () => {
    const world = writerWorld();
    expect(await refusal(world.writer.create(at(note, ""), sent(note, {}), world.options))).toMatchObject({
      code: 422,
      message: 'Note "" is invalid: metadata.name: Required value: name or generateName is required',
    });
  });
});

describe("a name that the server makes", () => {
  it("has five characters that spell nothing, after the prefix", async () => {
    const world = writerWorld();
    const { metadata } = await world.writer.create(
      at(note, ""),
      sent(note, { generateName: "web-" }),
      world.options,
    );
    expect(metadata.name).toMatch(/^web-[bcdfghjklmnpqrstvwxz2456789]{5}$/);
    expect(metadata.generateName).toBe("web-");
  });

  it("is at most 63 characters long", async () => {
    const world = writerWorld();
    const generateName = "a".repeat(80);
    const { metadata } = await world.writer.create(at(note, ""), sent(note, { generateName }), world.options);
    expect(metadata.name).toHaveLength(63);
  });

  it("is another one if the first is taken", async () => {
    let calls = 0;
    // Four numbers make the uid, five the first name.
    const world = writerWorld([note], { next: () => (calls++ < 9 ? 0 : 0.5) });
    await world.writer.create(at(note, ""), sent(note, { name: "a-bbbbb" }), world.options);
    calls = 0;
    const object = sent(note, { generateName: "a-" });
    const { metadata } = await world.writer.create(at(note, ""), object, world.options);
    expect(metadata.name).toBe("a-rrrrr");
  });

  it("fails after eight attempts, and the client is asked to retry", async () => {
    const world = writerWorld([note], { next: () => 0 });
    await world.writer.create(at(note, ""), sent(note, { name: "a-bbbbb" }), world.options);
    const again = world.writer.create(at(note, ""), sent(note, { generateName: "a-" }), world.options);
    expect(await refusal(again)).toMatchObject({
      code: 409,
      reason: "AlreadyExists",
      message:
        'notes "a-bbbbb" already exists, the server was not able to generate a unique name for the object',
      details: { name: "a-bbbbb", kind: "notes", retryAfterSeconds: 1 },
    });
  });
});
