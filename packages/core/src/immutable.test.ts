import fc from "fast-check";
import { describe, expect, expectTypeOf, it } from "vitest";
import { type Draft, draft, freeze, type Immutable } from "./immutable.ts";
import { deepEqual } from "./json.ts";

const deepText = `${"[".repeat(20_000)}1${"]".repeat(20_000)}`;

describe("freeze", () => {
  it("freezes a value all the way down and returns it", () => {
    const value = { list: [{ a: 1 }], map: { b: {} } };
    const frozen = freeze(value);
    expect(frozen).toBe(value);
    const parts = [value, value.list, value.list[0], value.map, value.map.b];
    expect(parts.every((part) => Object.isFrozen(part))).toBe(true);
    expect(() => value.list.push({ a: 2 })).toThrow(TypeError);
  });

  it("does not walk what is frozen already", () => {
    const inner = { changeable: true };
    freeze(Object.freeze({ inner }));
    expect(Object.isFrozen(inner)).toBe(false);
  });

  it("freezes what is nested deeper than the stack", () => {
    const value: unknown = JSON.parse(deepText);
    let inner = freeze(value);
    for (; Array.isArray(inner); inner = inner[0]) expect(Object.isFrozen(inner)).toBe(true);
    expect(inner).toBe(1);
  });

  it.each([null, undefined, 1, "a", true, 9007199254740993n])("returns %s", (value) => {
    expect(freeze(value)).toBe(value);
  });
});

describe("draft", () => {
  it("is a copy that can be changed while the original stays", () => {
    const original = freeze({ metadata: { labels: { app: "web" } }, list: [{ a: 1 }] });
    const copy = draft(original);
    copy.metadata.labels.app = "db";
    copy.list.push({ a: 2 });
    expect(original).toEqual({ metadata: { labels: { app: "web" } }, list: [{ a: 1 }] });
    expect(copy).toEqual({ metadata: { labels: { app: "db" } }, list: [{ a: 1 }, { a: 2 }] });
  });

  it("keeps a key called __proto__, which a ConfigMap may have", () => {
    const data: unknown = JSON.parse('{"data":{"__proto__":{"a":"1"},"b":"2"}}');
    const copy = draft(data);
    expect(JSON.stringify(copy)).toBe('{"data":{"__proto__":{"a":"1"},"b":"2"}}');
    expect(copy).not.toHaveProperty("data.a");
  });

  it("copies what is nested deeper than the stack, and large integers", () => {
    const value: unknown = JSON.parse(deepText);
    expect(deepEqual(draft(value), value)).toBe(true);
    expect(draft({ a: [9007199254740993n] })).toEqual({ a: [9007199254740993n] });
  });

  it("of any frozen JSON value is equal to it, shares nothing with it and is not frozen", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => {
        const text = JSON.stringify(value);
        const copy = draft(freeze(value));
        expect(JSON.stringify(copy)).toBe(text);
        const originals = new Set(containersIn(value));
        for (const container of containersIn(copy)) {
          expect(Object.isFrozen(container)).toBe(false);
          expect(originals.has(container)).toBe(false);
        }
      }),
      { numRuns: 200 },
    );
  });
});

it("types immutable values and drafts as opposites", () => {
  interface Changeable {
    list: { a: number }[];
    call: (count: number) => string;
  }
  interface Fixed {
    readonly list: readonly { readonly a: number }[];
    readonly call: (count: number) => string;
  }
  expectTypeOf<Immutable<Changeable>>().toEqualTypeOf<Fixed>();
  expectTypeOf<Draft<Fixed>>().toEqualTypeOf<Changeable>();
});

function containersIn(value: unknown): readonly object[] {
  if (typeof value !== "object" || value === null) return [];
  return [value, ...Object.values(value).flatMap(containersIn)];
}
