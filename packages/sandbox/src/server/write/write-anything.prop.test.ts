import { isRecord, type JsonPatchOperation } from "@keelson/core";
import fc from "fast-check";
import { expect, it } from "vitest";
import { at, gadget, note, sent, writerWorld } from "../../../test/support/writer-world.ts";
import { DecodeError } from "../../schema/decode.ts";
import { ApiError } from "../../status/api-error.ts";
import { decodeValue } from "../body/decode-value.ts";
import type { Patch } from "../body/patch-body.ts";

const json = fc.jsonValue({ maxDepth: 4 });

/** Anything, in the places where the writer looks. */
const body = fc.record(
  {
    apiVersion: fc.oneof(fc.constant("example.com/v1"), json),
    kind: fc.oneof(fc.constant("Gadget"), json),
    metadata: fc.oneof(
      fc.record(
        {
          name: fc.oneof(fc.constant("a"), json),
          namespace: fc.oneof(fc.constant("shop"), json),
          generateName: json,
          uid: json,
          resourceVersion: fc.oneof(fc.nat().map(String), json),
          labels: fc.oneof(fc.dictionary(fc.string(), fc.string()), json),
          annotations: json,
          finalizers: fc.oneof(fc.array(fc.constantFrom("e.com/x", "orphan", "")), json),
          ownerReferences: fc.oneof(fc.array(fc.record({ uid: json, kind: json })), json),
          managedFields: fc.oneof(fc.array(fc.dictionary(fc.string(), json)), json),
          deletionTimestamp: json,
          deletionGracePeriodSeconds: json,
          generation: json,
        },
        { requiredKeys: [] },
      ),
      json,
    ),
    spec: fc.oneof(fc.record({ size: json, tags: json }, { requiredKeys: [] }), json),
    status: json,
    other: json,
  },
  { requiredKeys: [] },
);

const operation = fc.record({
  op: fc.constantFrom("add", "remove", "replace", "move", "copy", "test"),
  path: fc.oneof(
    fc.constantFrom("", "/spec", "/metadata/labels", "/metadata/finalizers/-", "/kind"),
    fc.string(),
  ),
  from: fc.string(),
  value: json,
});

const patches: fc.Arbitrary<Patch> = fc.oneof(
  body.map((patch): Patch => ({ type: "merge", patch })),
  body.map((patch): Patch => ({ type: "strategic", patch })),
  fc
    .array(operation)
    .map((operations): Patch => ({ type: "json", operations: operations as JsonPatchOperation[] })),
  fc.tuple(body, fc.boolean()).map(([fields, force]): Patch => {
    const metadata = isRecord(fields.metadata) ? fields.metadata : {};
    const configuration = { ...sent(gadget, {}), ...fields, metadata } as ReturnType<typeof sent>;
    return { type: "apply", configuration, force };
  }),
);

async function outcome(write: Promise<unknown>): Promise<void> {
  try {
    await write;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
  }
}

it("accepts or refuses every create and update", async () => {
  const decodable = fc.tuple(fc.constantFrom(gadget, note), body);
  await fc.assert(
    fc.asyncProperty(decodable, async ([resource, fields]) => {
      const world = writerWorld();
      const decode = () =>
        decodeValue(resource, { ...sent(resource, {}), ...structuredClone(fields) }).object;
      try {
        await outcome(world.writer.create(at(resource, ""), decode(), world.options));
        await outcome(world.writer.create(at(resource, ""), sent(resource, { name: "a" }), world.options));
        await outcome(world.writer.update(at(resource, "a"), decode(), world.options));
      } catch (error) {
        expect(error).toBeInstanceOf(DecodeError);
      }
    }),
    { numRuns: 200 },
  );
});

it("accepts or refuses every patch, of existing and of missing objects", async () => {
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(gadget, note), patches, async (resource, patch) => {
      const world = writerWorld();
      await world.writer.create(
        at(resource, ""),
        sent(resource, { name: "a" }, { spec: { size: 1 } }),
        world.options,
      );
      for (const name of ["a", "b"]) {
        for (const subresource of [undefined, "status"]) {
          await outcome(
            world.writer.patch(at(resource, name, subresource), structuredClone(patch), world.options),
          );
        }
      }
    }),
    { numRuns: 400 },
  );
});
