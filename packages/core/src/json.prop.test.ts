import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { draft } from "./immutable.ts";
import { deepEqual, diffJson, isRecord, type JsonPatchOperation } from "./json.ts";

const runs = { numRuns: 200 };
const json = fc.jsonValue({ maxDepth: 4 });

/** The same value with the properties of every object the other way round. */
function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, field]) => [key, reversed(field)]),
  );
}

/** Text in which equal values are equal texts. */
function canonicalText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalText).join()}]`;
  if (!isRecord(value)) return JSON.stringify(value) ?? "";
  const fields = Object.entries(value).map(
    ([key, field]) => `${JSON.stringify(key)}:${canonicalText(field)}`,
  );
  return `{${fields.sort().join()}}`;
}

describe("equality of JSON values", () => {
  it("holds between a value and its copy, in whatever order", () => {
    fc.assert(
      fc.property(json, (value) => {
        expect(deepEqual(value, structuredClone(value))).toBe(true);
        expect(deepEqual(value, reversed(value))).toBe(true);
      }),
      runs,
    );
  });

  it("is symmetric and agrees with the texts of the values", () => {
    const small = fc.jsonValue({ maxDepth: 1, stringUnit: fc.constantFrom("a", "b") });
    fc.assert(
      fc.property(small, small, (a, b) => {
        expect(deepEqual(a, b)).toBe(canonicalText(a) === canonicalText(b));
        expect(deepEqual(b, a)).toBe(deepEqual(a, b));
      }),
      { numRuns: 1000 },
    );
  });
});

/** A reading of RFC 6902 of its own, so that it shares no mistake with what it judges. */
function apply(document: unknown, operations: readonly JsonPatchOperation[]): unknown {
  const root: Record<string, unknown> = { root: draft(document) };
  for (const operation of operations) {
    const names = `/root${operation.path}`
      .slice(1)
      .split("/")
      .map((name) => name.replaceAll("~1", "/").replaceAll("~0", "~"));
    const last = names.pop() ?? "";
    let parent: unknown = root;
    for (const name of names) parent = Reflect.get(Object(parent), name);
    if (Array.isArray(parent)) {
      if (operation.op === "add") parent.splice(Number(last), 0, operation.value);
      else if (operation.op === "remove") parent.splice(Number(last), 1);
      else if (operation.op === "replace") parent[Number(last)] = operation.value;
    } else if (isRecord(parent)) {
      if (operation.op === "remove") Reflect.deleteProperty(parent, last);
      else if (operation.op === "replace" || operation.op === "add") {
        const { value } = operation;
        Object.defineProperty(parent, last, { value, writable: true, enumerable: true, configurable: true });
      }
    }
  }
  return root.root;
}

const names = fc.constantFrom("a", "b", "~", "/", "a/b", "~1", "", "__proto__", "constructor");
const { json: documents } = fc.letrec<{ json: unknown }>((tie) => ({
  json: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.constantFrom<unknown>(null, true, 0, 1, "x", ""),
    fc.array(tie("json"), { maxLength: 5 }),
    fc.dictionary(names, tie("json"), { maxKeys: 5 }),
  ),
}));

describe("the patch between two values", () => {
  it("[WH3] turns the first into the second", () => {
    fc.assert(
      fc.property(documents, documents, (before, after) => {
        expect(apply(before, diffJson(before, after))).toEqual(after);
      }),
      { numRuns: 2_000 },
    );
  });

  it("turns the first into the second also if lists are replaced as a whole", () => {
    const value = fc.dictionary(names, documents, { maxKeys: 5 });
    fc.assert(
      fc.property(value, value, (before, after) => {
        const operations = diffJson(before, after, { mayHaveChanged: true });
        expect(apply(before, operations)).toEqual(after);
        expect(operations.every(({ op }) => op === "add" || op === "remove")).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });

  it("is for the values at a path of a document", () => {
    expect(diffJson({ a: 1 }, { a: 2 }, { path: ["status", "x/y"], mayHaveChanged: true })).toEqual([
      { op: "add", path: "/status/x~1y/a", value: 2 },
    ]);
  });

  it("[WH3] is empty between equals", () => {
    fc.assert(
      fc.property(documents, (value) => {
        expect(diffJson(value, draft(value))).toEqual([]);
      }),
    );
  });

  it.each<[string, unknown, unknown, readonly JsonPatchOperation[]]>([
    ["a field is added", {}, { a: 1 }, [{ op: "add", path: "/a", value: 1 }]],
    ["a field is undefined now", { a: 1 }, { a: undefined }, [{ op: "remove", path: "/a" }]],
    ["a name has slashes", {}, { "a/b~c": 1 }, [{ op: "add", path: "/a~1b~0c", value: 1 }]],
    ["an element is put in front", ["b"], ["a", "b"], [{ op: "add", path: "/0", value: "a" }]],
    ["an element is taken away", ["a", "b", "c"], ["a", "c"], [{ op: "remove", path: "/1" }]],
    [
      "one field of an element changes",
      { list: [{ name: "a", image: "1" }, { name: "b" }] },
      { list: [{ name: "a", image: "2" }, { name: "b" }] },
      [{ op: "replace", path: "/list/0/image", value: "2" }],
    ],
  ])("is minimal when %s", (_, before, after, patch) => {
    expect(diffJson(before, after)).toEqual(patch);
  });
});
