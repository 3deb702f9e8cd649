import { expect, it } from "vitest";
import { gadget, note, writerWorld } from "../../../test/support/writer-world.ts";
import { applyMergePatch } from "../../patch/merge-patch.ts";
import type { PlainPatch } from "./patched-object.ts";
import { patchedText } from "./patched-text.ts";

const current = {
  kind: "Note",
  apiVersion: "v1",
  metadata: { labels: { z: "1", a: "2" }, uid: "u", name: "n", generation: 1 },
  spec: { z: 1, a: { y: 1, b: 2 } },
};

function textAfter(resource: typeof note, patch: PlainPatch): string {
  const { registry, options } = writerWorld();
  const apply = (): Record<string, unknown> =>
    patch.type === "merge" ? applyMergePatch(current, patch.patch) : structuredClone(current);
  return patchedText({ resource, registry, patch, options, apply });
}

it("sorts built-in objects where the patch changed them, and orders metadata by its Go type", () => {
  expect(textAfter(note, { type: "merge", patch: { spec: { c: 5 } } })).toBe(
    '{"apiVersion":"v1","kind":"Note","metadata":{"name":"n","uid":"u","generation":1,"labels":{"a":"2","z":"1"}},"spec":{"a":{"y":1,"b":2},"c":5,"z":1}}',
  );
  expect(textAfter(note, { type: "json", operations: [{ op: "remove", path: "/metadata/labels" }] })).toBe(
    '{"apiVersion":"v1","kind":"Note","metadata":{"generation":1,"labels":{"a":"2","z":"1"},"name":"n","uid":"u"},"spec":{"z":1,"a":{"y":1,"b":2}}}',
  );
});

it("sorts custom objects everywhere", () => {
  expect(textAfter(gadget, { type: "merge", patch: {} })).toBe(
    '{"apiVersion":"v1","kind":"Note","metadata":{"generation":1,"labels":{"a":"2","z":"1"},"name":"n","uid":"u"},"spec":{"a":{"b":2,"y":1},"z":1}}',
  );
});

it("shows the patch for strategic merge patches, as Go prints it", () => {
  expect(textAfter(note, { type: "strategic", patch: { foo: "zz", data: { a: ["b", 1] } } })).toBe(
    "map[data:map[a:[b 1]] foo:zz]",
  );
});
