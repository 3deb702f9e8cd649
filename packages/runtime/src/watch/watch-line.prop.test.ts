import { MalformedResponseError } from "@keelson/client";
import { isRecord, type KubeObject, type Resource } from "@keelson/core";
import { ConfigMap } from "@keelson/core/kinds/core/v1";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { WatchLineReader, WatchLineScanner } from "./watch-line.ts";
import type { WatchInput } from "./watch-machine.ts";

const resource: Resource = ConfigMap;

function readers(keepManagedFields = false) {
  const options = { resource, operation: "watch configmaps", keepManagedFields };
  return {
    eager: new WatchLineReader({ ...options, parseOnRead: false }),
    lazy: new WatchLineReader({ ...options, parseOnRead: true }),
  };
}

/** The content of an input, as plain data. */
function contentOf(read: () => WatchInput<KubeObject>): unknown {
  let input: WatchInput<KubeObject>;
  try {
    input = read();
  } catch (error) {
    expect(error).toBeInstanceOf(MalformedResponseError);
    return "malformed";
  }
  if (input.type !== "event" || input.event.type === "BOOKMARK") return input;
  const { type, snapshot } = input.event;
  const { namespace, name, keyText, resourceVersion, object } = snapshot;
  return { type, namespace, name, keyText, resourceVersion, object };
}

/** Keys in their plain spelling, and some with escapes; V8 13.6 takes some odd keys for another, so they are few. */
const name = fc.constantFrom(
  "metadata",
  "managedFields",
  "object",
  "name",
  "namespace",
  "type",
  "kind",
  "é",
  "x\\y",
);
const text = fc.oneof(
  name,
  fc.constantFrom('"', "\\", "}", "\u2028", "🚢", ""),
  fc.string({ unit: "binary", maxLength: 5 }),
);
const json = fc.letrec<{ value: unknown; record: Record<string, unknown> }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.oneof(fc.double({ noNaN: true, noDefaultInfinity: true }), fc.boolean(), fc.constant(null), text),
    fc.array(tie("value"), { maxLength: 3 }),
    tie("record"),
  ),
  record: fc.dictionary(name, tie("value"), { maxKeys: 4 }),
}));

type Member = readonly [key: string, value: string];
const space = fc.constantFrom("", "", "", " ", "\t", "\r", " \t ");
/** Now and then: most lines are to be such as the scanner does not give up. */
const seldom = fc.nat(24).map((number) => number === 0);
/** What else may be in an object: keys that the scanner does not search, and seldom a key that occurs already. */
const extras = seldom
  .chain((isOdd) =>
    fc.dictionary(isOdd ? name : fc.constantFrom("spec", "data", "x"), json.value, { maxKeys: 2 }),
  )
  .map((values) =>
    Object.entries(values).map(([key, value]): Member => [JSON.stringify(key), JSON.stringify(value)]),
  );

/** An object of these members and some others, in any order and with any spacing, seldom with an escaped key. */
function spelled(required: fc.Arbitrary<readonly Member[]>): fc.Arbitrary<string> {
  return fc.tuple(required, extras, space, seldom).chain(([own, extra, blank, isEscaped]) =>
    fc.shuffledSubarray([...own, ...extra], { minLength: own.length + extra.length }).map((all) => {
      const body = all.map(([key, value]) => {
        const spelling = isEscaped ? escapeFirst(key) : key;
        return `${blank}${spelling}${blank}:${blank}${value}${blank}`;
      });
      return `{${blank}${body.join(",")}}`;
    }),
  );
}

/** `"name"` spelled as `"\u006eame"`. */
function escapeFirst(key: string): string {
  if (key.length < 3 || key[1] === "\\") return key;
  return `"\\u${key.charCodeAt(1).toString(16).padStart(4, "0")}${key.slice(2)}`;
}

const mostly = (usual: string): fc.Arbitrary<string> =>
  seldom.chain((isOdd) => (isOdd ? text : fc.constant(usual)));
const metadata = spelled(
  seldom
    .chain((mayLack) =>
      fc.record(
        {
          name: mostly("web"),
          namespace: mostly("shop"),
          resourceVersion: mostly("7"),
          managedFields: json.value,
          labels: json.record,
        },
        { requiredKeys: mayLack ? [] : ["name", "resourceVersion"] },
      ),
    )
    .map((values) =>
      Object.entries(values).map(([key, value]): Member => [`"${key}"`, JSON.stringify(value)]),
    ),
);
const object = fc.tuple(metadata, mostly("ConfigMap")).chain(([meta, kind]) =>
  spelled(
    fc.constant<readonly Member[]>([
      ['"apiVersion"', '"v1"'],
      ['"kind"', JSON.stringify(kind)],
      ['"metadata"', meta],
    ]),
  ),
);
const line = fc
  .tuple(object, fc.constantFrom("ADDED", "MODIFIED", "DELETED", "BOOKMARK", "GONE"))
  .chain(([body, type]) =>
    spelled(
      fc.constant<readonly Member[]>([
        ['"type"', JSON.stringify(type)],
        ['"object"', body],
      ]),
    ),
  );

describe("a line that is parsed on read", () => {
  it("[IN19] has the same content as one that is parsed at once, however it is spelled", () => {
    let scanned = 0;
    const both = [readers(false), readers(true)] as const;
    fc.assert(
      fc.property(line, fc.boolean(), (spelling, keepManagedFields) => {
        const { eager, lazy } = both[keepManagedFields ? 1 : 0];
        const bytes = Buffer.from(spelling);
        if (scan(bytes) !== undefined) scanned += 1;
        expect(contentOf(() => lazy.read(bytes))).toEqual(contentOf(() => eager.read(bytes)));
      }),
      { numRuns: 1000 },
    );
    expect(scanned).toBeGreaterThan(300);
  });

  it("[RF20] is refused whenever parsing it at once would be, whichever byte of it is spoiled", () => {
    const spoiled = fc.tuple(line, fc.nat(), fc.constantFrom(...'"\\{}[],:0e.-\u0001n u', "é"), fc.nat(2));
    const { eager, lazy } = readers(true);
    fc.assert(
      fc.property(spoiled, ([spelling, place, byte, deleted]) => {
        const at = place % spelling.length;
        const bytes = Buffer.from(spelling.slice(0, at) + byte + spelling.slice(at + deleted));
        expect(contentOf(() => lazy.read(bytes))).toEqual(contentOf(() => eager.read(bytes)));
      }),
      { numRuns: 2000 },
    );
  });

  it("[RF20] is refused if it was cut off anywhere, or goes on after its end", () => {
    const { lazy } = readers();
    const bytes = Buffer.from(lineOf({ data: { a: "é", n: [1.5e-3, true, null, {}, []] } }));
    for (let length = 0; length < bytes.length; length++)
      expect(contentOf(() => lazy.read(bytes.subarray(0, length)))).toBe("malformed");
    const whole = { keyText: "shop/web", resourceVersion: "7" };
    expect(contentOf(() => lazy.read(bytes))).toMatchObject(whole);
    for (const more of ["}", "x", "\0", " 1", "\v"])
      expect(contentOf(() => lazy.read(Buffer.concat([bytes, Buffer.from(more)])))).toBe("malformed");
    expect(contentOf(() => lazy.read(Buffer.concat([bytes, Buffer.from(" \t\r")])))).toMatchObject(whole);
  });

  it("is left to the parser if it is nested deeper than the scanner goes", () => {
    const deep = `${"[".repeat(5000)}${"]".repeat(5000)}`;
    const bytes = Buffer.from(lineOf({}).replace('"data"', `"deep":${deep},"data"`));
    expect(scan(bytes)).toBeUndefined();
    expect(contentOf(() => readers().lazy.read(bytes))).toMatchObject({ keyText: "shop/web" });
  });
});

describe("a scanned line", () => {
  it("is not parsed, holds no managedFields, and no byte of the line it was found in", () => {
    const bytes = Buffer.from(lineOf({ data: { a: "b" } }));
    const scanned = scan(bytes);
    bytes.fill(0);
    expect(scanned).toEqual({
      type: "MODIFIED",
      namespace: "shop",
      name: "web",
      keyText: "shop/web",
      resourceVersion: "7",
      bytes: expect.stringContaining('"uid":"u"'),
      isAscii: true,
    });
    expect(scanned?.bytes).not.toContain("managedFields");
    expect(isRecord(JSON.parse(scanned?.bytes ?? ""))).toBe(true);
  });

  it("keeps one character per byte of any text", () => {
    const scanned = scan(Buffer.from(lineOf({ data: { a: "é🚢" } })));
    expect(scanned?.isAscii).toBe(false);
    expect(Buffer.from(scanned?.bytes ?? "", "latin1").toString("utf8")).toContain("é🚢");
  });

  it("may be longer than any before", () => {
    const scanner = new WatchLineScanner({ apiVersion: "v1", kind: "ConfigMap", keepManagedFields: false });
    for (const length of [1, 20_000, 200_000, 3]) {
      const text = "x".repeat(length);
      expect(scanner.scan(Buffer.from(lineOf({ data: { text } })))?.bytes).toContain(`"${text}"`);
    }
  });
});

function scan(bytes: Buffer) {
  return new WatchLineScanner({ apiVersion: "v1", kind: "ConfigMap", keepManagedFields: false }).scan(bytes);
}

function lineOf({ data = {} }: { data?: unknown }): string {
  const managedFields = [{ manager: "a", fieldsV1: { "f:data": { 'k:{"a":"}"}': {} } } }];
  const metadata = { namespace: "shop", name: "web", managedFields, uid: "u", resourceVersion: "7" };
  return JSON.stringify({
    type: "MODIFIED",
    object: { apiVersion: "v1", kind: "ConfigMap", metadata, data },
  });
}
