import { describe, expect, it } from "vitest";
import { reference, type Schema } from "./schema.ts";
import { type TypeScope, typeText } from "./type-text.ts";

const schemas: Readonly<Record<string, Schema>> = {
  Port: {
    type: "object",
    properties: { number: { type: "integer" }, protocol: { type: "string" } },
    required: ["number"],
  },
  Secret: { type: "object", properties: { name: { type: "string" } } },
  Time: { type: "string" },
};
const scope: TypeScope = {
  schemaOf: (name) => schemas[name] ?? {},
  nameOf: (name) => `The${name}`,
  keyed: () => "Keyed",
};

describe("the text of a type", () => {
  it.each<[string, Schema]>([
    ["string", { type: "string" }],
    ["boolean", { type: "boolean" }],
    ["number", { type: "integer" }],
    ["number", { type: "number" }],
    ["unknown", {}],
    ["Readonly<Record<string, unknown>>", { type: "object" }],
    ["Readonly<Record<string, string>>", { type: "object", additionalProperties: { type: "string" } }],
    ["Readonly<Record<string, ThePort>>", { type: "object", additionalProperties: reference("Port") }],
    ["readonly string[]", { type: "array", items: { type: "string" } }],
    [
      "readonly (readonly string[])[]",
      { type: "array", items: { type: "array", items: { type: "string" } } },
    ],
    ["readonly unknown[]", { type: "array" }],
    ['"" | "A"', { type: "string", enum: ["", "A"] }],
    ['readonly ("A" | "B")[]', { type: "array", items: { type: "string", enum: ["A", "B"] } }],
    ["number | string", { oneOf: [{ type: "integer" }, { type: "string" }] }],
  ])("is %s for %j", (text, schema) => {
    expect(typeText(schema, scope)).toBe(text);
  });

  it("is the name of an interface where the schema refers to one, with or without the wrapping of a default", () => {
    expect(typeText(reference("Port"), scope)).toBe("ThePort");
    expect(typeText({ allOf: [reference("Port")] }, scope)).toBe("ThePort");
  });

  it("is written out where the schema refers to one without properties", () => {
    expect(typeText({ type: "array", items: { allOf: [reference("Time")] } }, scope)).toBe(
      "readonly string[]",
    );
  });

  it("is an error for what it does not know", () => {
    expect(() => typeText({ type: "null" }, scope)).toThrow("translate type null: it is unknown");
    expect(() => typeText({ allOf: [reference("Port"), reference("Secret")] }, scope)).toThrow(
      "it joins several schemas",
    );
  });
});

describe("the text of a list that is merged by key", () => {
  const listOf = (element: Schema, ...keys: readonly string[]): Schema => ({
    type: "array",
    items: element,
    "x-kubernetes-list-type": "map",
    "x-kubernetes-list-map-keys": keys,
  });

  it("names the keys that an element must have", () => {
    expect(typeText(listOf(reference("Port"), "number"), scope)).toBe('Keyed<ThePort, "number">');
  });

  it("leaves out a key that may be absent", () => {
    expect(typeText(listOf(reference("Port"), "number", "protocol"), scope)).toBe('Keyed<ThePort, "number">');
  });

  it("names all keys where each may be absent, since an element without any is refused", () => {
    expect(typeText(listOf(reference("Secret"), "name", "zone"), scope)).toBe(
      'Keyed<TheSecret, "name" | "zone">',
    );
  });

  it("is an error without keys, or where the elements have no name", () => {
    expect(() => typeText(listOf(reference("Port")), scope)).toThrow("it has no keys");
    expect(() => typeText(listOf({ type: "object" }, "name"), scope)).toThrow("its elements no name");
  });
});
