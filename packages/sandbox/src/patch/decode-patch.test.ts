import { describe, expect, it } from "vitest";
import { decodeJsonPatch, decodeObjectPatch, unknownJsonPatchFields } from "./decode-patch.ts";

describe("the body of a patch", () => {
  it("is refused with the message of Go's decoder if it is not a JSON patch", () => {
    const prefix = "error decoding patch: json: cannot unmarshal";
    expect(() => decodeJsonPatch({ a: 1 })).toThrow(
      `${prefix} object into Go value of type []handlers.jsonPatchOp`,
    );
    expect(() => decodeJsonPatch([1])).toThrow(`${prefix} number into Go value of type handlers.jsonPatchOp`);
    expect(() => decodeJsonPatch([{ op: 1 }])).toThrow(
      `${prefix} number into Go struct field jsonPatchOp.op of type string`,
    );
    expect(decodeJsonPatch(null)).toEqual([]);
  });

  it("is refused if it is no object", () => {
    const text = "json: cannot unmarshal array into Go value of type map[string]interface {}";
    expect(() => decodeObjectPatch([1], "merge")).toThrow(`error decoding patch: ${text}`);
    expect(() => decodeObjectPatch([1], "strategic")).toThrow(text);
    expect(() => decodeObjectPatch(null, "merge")).toThrow("Invalid JSON Patch");
    expect(decodeObjectPatch(null, "strategic")).toEqual({});
  });

  it("may have fields that mean nothing", () => {
    expect(unknownJsonPatchFields([{ op: "add", path: "/a", value: 1, zip: 1 }])).toEqual([
      'json patch unknown field "[0].zip"',
    ]);
  });
});
