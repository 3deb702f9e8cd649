import { describe, expect, it } from "vitest";
import { schemaFields, valuesAt } from "./schema-fields.ts";

const text = { type: "string" };

describe("the fields of a schema", () => {
  it("are those without fields of their own, also in the elements of lists", () => {
    const probe = { type: "object", properties: { port: text, headers: { type: "array", items: text } } };
    const labels = { type: "object", additionalProperties: text };
    const properties = { image: text, labels, probes: { type: "array", items: probe } };
    expect(schemaFields({ type: "object", properties })).toEqual([
      "image",
      "labels",
      "probes[].port",
      "probes[].headers[]",
    ]);
  });

  it("have the values of every element", () => {
    const object = { image: "web:1", probes: [{ port: 1, headers: ["a", "b"] }, {}, { port: 2 }] };
    expect(valuesAt(object, "image")).toEqual(["web:1"]);
    expect(valuesAt(object, "probes[].port")).toEqual([1, 2]);
    expect(valuesAt(object, "probes[].headers[]")).toEqual(["a", "b"]);
    expect(valuesAt(object, "labels")).toEqual([]);
  });
});
