import { draft } from "@keelson/core";
import { describe, expect, it } from "vitest";
import { at, sent, servedKind, stored, writerWorld } from "../../../test/support/writer-world.ts";
import type { ServedResource } from "../../resource/served-resource.ts";

const plainV1 = servedKind("Widget", { group: "example.com", isCustom: true });
const plainV2: ServedResource = { ...plainV1, version: "v2" };

describe("a kind in several versions that look the same", () => {
  it("is stored in one version and returned in that of the request", async () => {
    const world = writerWorld([plainV1, plainV2]);
    const created = await world.writer.create(
      at(plainV2, ""),
      sent(plainV2, { name: "a" }, { x: 1 }),
      world.options,
    );
    expect(created).toMatchObject({ apiVersion: "example.com/v2", x: 1 });
    expect(stored(world, plainV1, "a")).toMatchObject({ apiVersion: "example.com/v1", x: 1 });
    const { object } = await world.writer.patch(
      at(plainV2, "a"),
      { type: "merge", patch: { x: 2 } },
      world.options,
    );
    expect(object).toMatchObject({ apiVersion: "example.com/v2", x: 2 });
    expect(stored(world, plainV1, "a")).toMatchObject({ apiVersion: "example.com/v1", x: 2 });
    const { revision } = world.store;
    await world.writer.patch(at(plainV2, "a"), { type: "merge", patch: { x: 2 } }, world.options);
    expect(world.store.revision).toBe(revision);
  });

  it("is stored in the group of its collection, if two groups serve it", async () => {
    const core = servedKind("Event");
    const own: ServedResource = { ...core, group: "events.k8s.io" };
    const world = writerWorld([core, own]);
    await world.writer.create(at(own, ""), sent(own, { name: "a" }), world.options);
    expect(stored(world, core, "a")?.apiVersion).toBe("v1");
  });
});

describe("a kind whose versions differ", () => {
  const convert: ServedResource["convert"] = async (objects, toVersion) =>
    objects.map((object) => {
      const { size, length, ...rest } = draft(object);
      const value = size ?? length;
      return {
        ...rest,
        apiVersion: `example.com/${toVersion}`,
        ...(toVersion === "v1" ? { size: value } : { length: value }),
      };
    });
  const first: ServedResource = { ...plainV1, convert };
  const second: ServedResource = { ...plainV2, convert };

  it("is converted when it is stored and when it is read", async () => {
    const world = writerWorld([first, second]);
    const created = await world.writer.create(
      at(second, ""),
      sent(second, { name: "a" }, { length: 1 }),
      world.options,
    );
    expect(created).toMatchObject({ apiVersion: "example.com/v2", length: 1 });
    expect(stored(world, first, "a")).toMatchObject({ apiVersion: "example.com/v1", size: 1 });
    const patch = { type: "merge", patch: { length: 2 } } as const;
    const { object } = await world.writer.patch(at(second, "a"), patch, world.options);
    expect(object).toMatchObject({ apiVersion: "example.com/v2", length: 2 });
    expect(stored(world, first, "a")).toMatchObject({ size: 2 });
    const seen: unknown[] = [];
    world.admission = {
      mutating: [],
      validating: [{ name: "v", validate: ({ oldObject }) => void seen.push(oldObject?.length) }],
    };
    await world.writer.delete(at(second, "a"), world.options);
    expect(seen).toEqual([2]);
  });
});
