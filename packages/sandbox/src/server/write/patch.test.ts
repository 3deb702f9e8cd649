import type { JsonPatchOperation } from "@keelson/core";
import { describe, expect, it } from "vitest";
import {
  at,
  gadget,
  note,
  refusal,
  sent,
  stored,
  type World,
  writerWorld,
} from "../../../test/support/writer-world.ts";
import type { Written } from "./object-writer.ts";

async function gadgetWorld(): Promise<World> {
  const world = writerWorld();
  const object = sent(gadget, { name: "a", finalizers: ["e.com/x"] }, { spec: { size: 1 } });
  await world.writer.create(at(gadget, ""), object, world.options);
  return world;
}

function merge(world: World, patch: Readonly<Record<string, unknown>>): Promise<Written> {
  return world.writer.patch(at(gadget, "a"), { type: "merge", patch }, world.options);
}

describe("a patch", () => {
  it("changes the present state and counts it", async () => {
    const world = await gadgetWorld();
    const { object, created } = await merge(world, { spec: { tags: ["x"] } });
    expect(created).toBe(false);
    expect(object).toMatchObject({ spec: { size: 1, tags: ["x"] }, metadata: { generation: 2 } });
    expect(stored(world, gadget, "a")).toEqual(object);
  });

  it("in JSON patch form does the same, or nothing if an operation does not fit", async () => {
    const world = await gadgetWorld();
    const operations: JsonPatchOperation[] = [{ op: "replace", path: "/spec/size", value: 2 }];
    const { object } = await world.writer.patch(at(gadget, "a"), { type: "json", operations }, world.options);
    expect(object).toMatchObject({ spec: { size: 2 } });
    const wrong: JsonPatchOperation[] = [{ op: "test", path: "/spec/size", value: 1 }];
    const refused = world.writer.patch(at(gadget, "a"), { type: "json", operations: wrong }, world.options);
    expect(await refusal(refused)).toMatchObject({
      code: 422,
      message: "the server rejected our request due to an error in our request",
    });
  });

  it("without effect writes nothing", async () => {
    const world = await gadgetWorld();
    const before = stored(world, gadget, "a");
    world.now += 60_000;
    expect((await merge(world, { spec: { size: 1 } })).object).toBe(before);
  });

  it("is repeated on the new state if another write came in between", async () => {
    const world = await gadgetWorld();
    let interruptions = 2;
    world.admission = {
      mutating: [],
      validating: [
        {
          name: "slow",
          async validate() {
            if (interruptions === 0) return;
            interruptions -= 1;
            const { mutating } = world.admission;
            const { validating } = world.admission;
            world.admission = { mutating, validating: [] };
            await merge(world, { metadata: { labels: { [`n${interruptions}`]: "x" } } });
            world.admission = { mutating, validating };
          },
        },
      ],
    };
    const { object } = await merge(world, { spec: { size: 7 } });
    expect(object).toMatchObject({ spec: { size: 7 }, metadata: { labels: { n0: "x", n1: "x" } } });
  });

  it.each([
    [
      { metadata: { resourceVersion: "1" } },
      409,
      'Operation cannot be fulfilled on gadgets.example.com "a": the object has been modified; please apply your changes to the latest version and try again',
    ],
    [
      { metadata: { resourceVersion: null } },
      422,
      'gadgets.example.com "a" is invalid: metadata.resourceVersion: Invalid value: 0: must be specified for an update',
    ],
    [
      { metadata: { uid: "1" } },
      422,
      'Gadget.example.com "a" is invalid: metadata.uid: Invalid value: "1": field is immutable',
    ],
    [{ metadata: { name: "zz" } }, 400, "the name of the object (zz) does not match the name on the URL (a)"],
    [
      { metadata: null },
      400,
      "the name of the object (a based on URL) was undeterminable: name must be provided",
    ],
    [
      { metadata: { namespace: "zz" } },
      400,
      "the namespace of the provided object does not match the namespace sent on the request",
    ],
    [{ kind: "zz" }, 422, 'zz.example.com "a" is invalid: kind: Invalid value: "zz": must be Gadget'],
    [
      { apiVersion: "zz/v1" },
      422,
      'Gadget.zz "a" is invalid: apiVersion: Invalid value: "zz/v1": must be example.com/v1',
    ],
    [
      { apiVersion: null },
      500,
      "Internal error occurred: Object 'apiVersion' is missing in 'object has no apiVersion field'",
    ],
    [
      { metadata: { deletionGracePeriodSeconds: 5 } },
      422,
      'Gadget.example.com "a" is invalid: metadata.deletionGracePeriodSeconds: Invalid value: 5: field is immutable',
    ],
    [
      { spec: { size: "x" } },
      422,
      'Gadget.example.com "a" is invalid: spec.size: Invalid value: "string": spec.size in body must be of type integer: "string"',
    ],
  ])("of %j is refused with %i", async (patch, code, message) => {
    const world = await gadgetWorld();
    expect(await refusal(merge(world, patch))).toMatchObject({ code, message });
  });

  it.each([
    [{ metadata: 5 }, "json: cannot unmarshal number into Go value of type v1.ObjectMeta"],
    [
      { metadata: { labels: 5 } },
      "json: cannot unmarshal number into Go struct field ObjectMeta.labels of type map[string]string",
    ],
    [
      { kind: 5 },
      "couldn't get version/kind; json parse error: json: cannot unmarshal number into Go struct field .kind of type string",
    ],
  ])("of %j does not fit, and the message contains the result", async (patch, problem) => {
    const world = await gadgetWorld();
    const { code, message = "", details } = await refusal(merge(world, patch));
    expect(code).toBe(422);
    expect(message).toMatch(
      /^ "" is invalid: patch: Invalid value: "\{\\"apiVersion\\":\\"example\.com\/v1\\"/,
    );
    expect(message.endsWith(`": ${problem}`)).toBe(true);
    expect(Object.keys(details ?? {})).toEqual(["causes"]);
  });

  it("with fields that the kind does not have is refused, warned of or pruned", async () => {
    const world = await gadgetWorld();
    const patch = { type: "merge", patch: { foo: "zz", spec: { q: 1 } } } as const;
    const strict = { ...world.options, fieldValidation: "Strict" } as const;
    const refused = await refusal(world.writer.patch(at(gadget, "a"), patch, strict));
    expect(refused.code).toBe(422);
    expect(refused.message).toMatch(/: strict decoding error: unknown field "foo", unknown field "spec\.q"$/);
    const { object } = await world.writer.patch(at(gadget, "a"), patch, world.options);
    expect(object).not.toHaveProperty("foo");
    expect(world.warnings).toEqual(['unknown field "foo"', 'unknown field "spec.q"']);
    await world.writer.patch(at(gadget, "a"), patch, { ...world.options, fieldValidation: "Ignore" });
    expect(world.warnings).toHaveLength(2);
  });

  it("of the strategic type cannot change the kind of the object", async () => {
    const world = writerWorld();
    await world.writer.create(at(note, ""), sent(note, { name: "a" }), world.options);
    const patch = { type: "strategic", patch: { kind: "Other", data: { x: "1" } } } as const;
    const { object } = await world.writer.patch(at(note, "a"), patch, world.options);
    expect(object).toMatchObject({ kind: "Note", data: { x: "1" } });
  });

  it("of nothing is not found", async () => {
    const world = writerWorld();
    expect((await refusal(merge(world, {}))).reason).toBe("NotFound");
  });

  it("stores nothing on a dry run", async () => {
    const world = await gadgetWorld();
    const before = stored(world, gadget, "a");
    const patch = { type: "merge", patch: { spec: { size: 9 } } } as const;
    const { object } = await world.writer.patch(at(gadget, "a"), patch, { ...world.options, dryRun: true });
    expect(object).toMatchObject({ spec: { size: 9 } });
    expect(stored(world, gadget, "a")).toBe(before);
  });

  it("that clears the managed fields ends the tracking", async () => {
    const world = await gadgetWorld();
    expect(stored(world, gadget, "a")?.metadata.managedFields).toHaveLength(1);
    await merge(world, { metadata: { managedFields: [{}] } });
    expect(stored(world, gadget, "a")?.metadata).not.toHaveProperty("managedFields");
  });
});

describe("server-side apply", () => {
  const configuration = (spec: Readonly<Record<string, unknown>>, metadata = {}) =>
    sent(gadget, { name: "b", ...metadata }, { spec });

  it("creates an object that does not exist, then changes it, then writes nothing", async () => {
    const world = writerWorld();
    const apply = (size: number): Promise<Written> =>
      world.writer.patch(
        at(gadget, "b"),
        { type: "apply", configuration: configuration({ size }), force: false },
        world.options,
      );
    const first = await apply(1);
    expect(first.created).toBe(true);
    expect(first.object.metadata).toMatchObject({
      generation: 1,
      managedFields: [{ manager: "tester", operation: "Apply", fieldsV1: { "f:spec": { "f:size": {} } } }],
    });
    const second = await apply(2);
    expect(second).toMatchObject({
      created: false,
      object: { spec: { size: 2 }, metadata: { generation: 2 } },
    });
    world.now += 60_000;
    expect((await apply(2)).object).toBe(stored(world, gadget, "b"));
  });

  it("is refused in conflict with another manager, unless it is forced", async () => {
    const world = await gadgetWorld();
    const apply = (force: boolean): Promise<Written> =>
      world.writer.patch(
        at(gadget, "a"),
        { type: "apply", configuration: sent(gadget, { name: "a" }, { spec: { size: 5 } }), force },
        { ...world.options, manager: "other" },
      );
    expect(await refusal(apply(false))).toMatchObject({ code: 409, reason: "Conflict" });
    expect((await apply(true)).object).toMatchObject({ spec: { size: 5 } });
  });

  it("ignores the resourceVersion of an object that does not exist, but not its uid", async () => {
    const world = writerWorld();
    const patch = (metadata: object): Promise<Written> =>
      world.writer.patch(
        at(gadget, "b"),
        { type: "apply", configuration: configuration({ size: 1 }, metadata), force: false },
        world.options,
      );
    expect(await refusal(patch({ uid: "xx" }))).toMatchObject({
      code: 409,
      message:
        'Operation cannot be fulfilled on gadgets.example.com "b": uid mismatch: the provided object specified uid xx, and no existing object was found',
    });
    expect((await patch({ resourceVersion: "3" })).created).toBe(true);
    expect((await refusal(patch({ resourceVersion: "1" }))).reason).toBe("Conflict");
  });

  it("of the status changes only the status, and creates nothing", async () => {
    const world = await gadgetWorld();
    const apply = (name: string): Promise<Written> =>
      world.writer.patch(
        at(gadget, name, "status"),
        {
          type: "apply",
          configuration: sent(gadget, { name, labels: { x: "y" } }, { status: { phase: "Ready" } }),
          force: false,
        },
        world.options,
      );
    expect((await refusal(apply("none"))).reason).toBe("NotFound");
    const { object } = await apply("a");
    expect(object).toMatchObject({ spec: { size: 1 }, status: { phase: "Ready" } });
    expect(object.metadata).not.toHaveProperty("labels");
  });

  it("returns no resourceVersion for a dry run", async () => {
    const world = writerWorld();
    const { object, created } = await world.writer.patch(
      at(gadget, "b"),
      { type: "apply", configuration: configuration({ size: 1 }), force: false },
      { ...world.options, dryRun: true },
    );
    expect(created).toBe(true);
    expect(object.metadata).not.toHaveProperty("resourceVersion");
    expect(stored(world, gadget, "b")).toBeUndefined();
  });
});
