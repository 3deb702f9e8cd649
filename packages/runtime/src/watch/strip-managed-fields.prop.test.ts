import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { stripManagedFields, withoutManagedFields } from "./strip-managed-fields.ts";

const strip = (text: string): string => stripManagedFields(Buffer.from(text)).toString("utf8");

/** Texts that the search could stumble over. */
const text = fc.oneof(
  fc.constantFrom("managedFields", "metadata", "object", '"', "\\", '\\"', "{", "]", ",", ":", "é\u2028"),
  fc.string({ unit: "binary", maxLength: 5 }),
);
/** Keys that JSON writes with a backslash are left to an example below: V8 13.6 takes one for another when it parses. */
const key = text.filter((name) => !JSON.stringify(name).includes("\\"));
const json = fc.letrec<{ value: unknown; record: Record<string, unknown> }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.oneof(fc.double({ noNaN: true, noDefaultInfinity: true }), fc.boolean(), fc.constant(null), text),
    fc.array(tie("value"), { maxLength: 3 }),
    tie("record"),
  ),
  record: fc.dictionary(key, tie("value"), { maxKeys: 4 }),
}));
const event = fc.record(
  { type: json.value, object: fc.oneof(json.value, fc.record({ metadata: json.value, spec: json.value })) },
  { requiredKeys: [] },
);
const space = fc.constantFrom(undefined, 1, "\t");

/** What must be left: everything but `object.metadata.managedFields`. */
function expected(text: string): unknown {
  const value = JSON.parse(text);
  if (isObject(value) && isObject(value.object) && isObject(value.object.metadata))
    delete value.object.metadata.managedFields;
  return value;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

describe("cutting managedFields out of a line", () => {
  it("[IN19] leaves what parsing and dropping them leaves, for any JSON and any spacing", () => {
    fc.assert(
      fc.property(fc.oneof(event, json.value), space, (value, indent) => {
        const text = JSON.stringify(value, undefined, indent);
        expect(JSON.parse(strip(text))).toEqual(expected(text));
      }),
      { numRuns: 1000 },
    );
  });

  it("[IN19] leaves what parsing and dropping them leaves, wherever in the metadata they are", () => {
    const metadata = fc
      .tuple(json.record, json.value, json.record)
      .map(([before, managedFields, after]) => ({ ...before, managedFields, ...after }));
    fc.assert(
      fc.property(metadata, json.record, space, (meta, rest, indent) => {
        const text = JSON.stringify({ ...rest, object: { ...rest, metadata: meta } }, undefined, indent);
        const stripped = strip(text);
        expect(JSON.parse(stripped)).toEqual(expected(text));
        expect(stripped.length).toBeLessThan(text.length);
      }),
      { numRuns: 1000 },
    );
  });

  it("throws nothing, and makes a line valid only if what it cuts out was not, whatever the bytes are", () => {
    const piece = fc.constantFrom(
      '{"object":{"metadata":{',
      '"managedFields"',
      ":[",
      "]",
      "}",
      '"',
      "\\",
      ",",
      "1",
      " ",
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 14 }), (pieces) => {
        const text = pieces.join("");
        const stripped = strip(text);
        if (isJson(text) || !isJson(stripped)) return;
        const [cut = ""] = text.match(/"managedFields".*/) ?? [];
        const member = cut.slice(0, cut.length - (stripped.length - text.indexOf(cut)));
        expect(isJson(`{${member.replace(/, *$/, "")}}`)).toBe(false);
      }),
      {
        numRuns: 2000,
        examples: [[['{"object":{"metadata":{', '"managedFields"', ":[", ",", "]", "}", "}", "}"]]],
      },
    );
  });

  it("keeps managedFields that are not the object's own", () => {
    const template = { metadata: { managedFields: [{ manager: "a" }] } };
    const text = JSON.stringify({ object: { metadata: { name: "a" }, spec: { template } } });
    expect(strip(text)).toBe(text);
  });

  it("reads keys with escapes to their end", () => {
    const metadata = { 'a"managedFields': 1, "b\\": 2, '"managedFields"': 3 };
    const text = JSON.stringify({
      "\\": 1,
      object: { '"': {}, metadata: { ...metadata, managedFields: ["\\"] } },
    });
    expect(strip(text)).toBe(JSON.stringify({ "\\": 1, object: { '"': {}, metadata } }));
  });

  it("is not misled by the name in the text of an annotation", () => {
    const annotations = { last: JSON.stringify({ metadata: { managedFields: [1] } }) };
    const text = JSON.stringify({
      object: { metadata: { annotations, managedFields: [{ a: "]}" }], name: "x" } },
    });
    expect(strip(text)).toBe(JSON.stringify({ object: { metadata: { annotations, name: "x" } } }));
  });
});

describe("dropping managedFields of an object", () => {
  it("[IN19] leaves the rest, and an object without them as it is", () => {
    const bare = { apiVersion: "v1", kind: "Pod", metadata: { name: "a" }, spec: {} };
    const object = { ...bare, metadata: { ...bare.metadata, managedFields: [{ manager: "a" }] } };
    expect(withoutManagedFields(object)).toEqual(bare);
    expect(object.metadata.managedFields).toHaveLength(1);
    expect(withoutManagedFields(bare)).toBe(bare);
  });
});

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
