import { VirtualClock } from "@keelson/testkit";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { jsonLogger } from "./json-logger.ts";
import { prettyLogger } from "./pretty-logger.ts";
import { sensitive } from "./sensitive.ts";

const marker = "c3VwZXItc2VjcmV0";

/** Values of all sorts, among them those that break a naive JSON.stringify. */
const anything = fc.anything({
  withBigInt: true,
  withDate: true,
  withMap: true,
  withNullPrototype: true,
  withObjectString: true,
  withSet: true,
  withSparseArray: true,
  withTypedArray: true,
  withBoxedValues: true,
});
const nasty = fc.oneof(
  fc.constantFrom<() => unknown>(
    () => {
      const cycle: unknown[] = [];
      cycle.push({ cycle });
      return cycle;
    },
    () => Object.defineProperty({}, "a", { enumerable: true, get: () => JSON.parse("{") }),
    () => {
      const { proxy, revoke } = Proxy.revocable([], {});
      revoke();
      return proxy;
    },
    () => new Error("x", { cause: 10n }),
    () => Symbol("s"),
  ),
  anything.map((value) => () => value),
);
const fields = fc.dictionary(fc.string({ unit: "binary" }), nasty);

describe("any message and fields", () => {
  it("become one line of JSON", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fields, (message, makers) => {
        const lines: string[] = [];
        const log = jsonLogger({ write: (line) => lines.push(line), clock: new VirtualClock() });
        log.info(message, Object.fromEntries(Object.entries(makers).map(([key, make]) => [key, make()])));
        expect(lines).toHaveLength(1);
        expect(lines[0]).not.toContain("\n");
        expect(JSON.parse(lines[0] ?? "")).toMatchObject({ level: "info" });
      }),
    );
  });

  it("become text without control characters on a terminal", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fields, (message, makers) => {
        const written: string[] = [];
        const log = prettyLogger({ write: (line) => written.push(line), clock: new VirtualClock() });
        log.info(message, Object.fromEntries(Object.entries(makers).map(([key, make]) => [key, make()])));
        expect(written).toHaveLength(1);
        // biome-ignore lint/suspicious/noControlCharactersInRegex: the characters that must be escaped
        expect(written[0]?.split("\n").join("")).not.toMatch(/[\u0000-\u001f\u007f-\u009f]/);
      }),
    );
  });

  it("never show the content of a Secret or a sensitive value, wherever it is", () => {
    const hidden = fc.constantFrom<() => unknown>(
      () => ({ apiVersion: "v1", kind: "Secret", metadata: {}, data: { key: marker } }),
      () => ({ kind: "Secret", stringData: { a: { b: marker } } }),
      () => sensitive(marker),
      () => ({ token: marker }),
      () => Buffer.from(marker),
    );
    const { tree } = fc.letrec<{ tree: unknown }>((tie) => ({
      tree: fc.oneof(
        { maxDepth: 6 },
        hidden.map((make) => make()),
        fc.array(tie("tree"), { maxLength: 3 }),
        fc.dictionary(fc.string(), tie("tree"), { maxKeys: 3 }),
        fc.record({ cause: tie("tree") }).map(({ cause }) => new Error("x", { cause })),
        tie("tree").map((value) => new Map([["a", value]])),
        tie("tree").map((value) => new Set([value])),
      ),
    }));
    fc.assert(
      fc.property(tree, (value) => {
        const lines: string[] = [];
        const options = { write: (line: string) => lines.push(line), clock: new VirtualClock() };
        jsonLogger(options).info("m", { value, after: "visible" });
        prettyLogger(options).info("m", { value, after: "visible" });
        expect(lines.filter((line) => line.includes("visible"))).toHaveLength(2);
        expect(lines.join("")).not.toContain(marker);
      }),
    );
  });
});
