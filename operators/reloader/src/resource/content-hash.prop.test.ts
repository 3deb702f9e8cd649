import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { contentHashes } from "./content-hash.ts";

const runs = { numRuns: 500 };
/** Few characters, with those that hashes are joined by, so that near-collisions are common. */
const text = fc.string({
  unit: fc.constantFrom("a", "b", ":", "=", ";", "\0", "\u0001", "é", "😀", "\uffff"),
});
const data = fc.dictionary(text, text, { maxKeys: 4, noNullPrototype: true });
const bytes = fc.uint8Array({ maxLength: 8 });

const canonical = (content: Readonly<Record<string, string>>) =>
  JSON.stringify(Object.entries(content).sort(([a], [b]) => (a < b ? -1 : 1)));

describe("the hash of content", () => {
  it("is equal for equal content and for no other", () => {
    const seen = new Map<string, string>();
    fc.assert(
      fc.property(data, (content) => {
        const { hash } = contentHashes("ConfigMap", { data: content });
        const known = seen.get(hash);
        if (known !== undefined) expect(canonical(content)).toBe(known);
        seen.set(hash, canonical(content));
      }),
      { numRuns: 3000 },
    );
  });

  it("distinguishes one value that was made of two entries", () => {
    fc.assert(
      fc.property(text, text, text, text, fc.constantFrom(":", "=", ";", ""), (a, b, c, d, separator) => {
        fc.pre(a !== c);
        const two = contentHashes("ConfigMap", { data: { [a]: b, [c]: d } });
        const one = contentHashes("ConfigMap", { data: { [a]: `${b};${c}${separator}${d}` } });
        expect(one.hash).not.toBe(two.hash);
      }),
      runs,
    );
  });

  it("does not depend on the order of keys", () => {
    fc.assert(
      fc.property(data, (content) => {
        const reversed = Object.fromEntries(Object.entries(content).reverse());
        expect(contentHashes("ConfigMap", { data: reversed })).toEqual(
          contentHashes("ConfigMap", { data: content }),
        );
      }),
      runs,
    );
  });

  it("distinguishes all bytes of a Secret", () => {
    fc.assert(
      fc.property(bytes, bytes, (a, b) => {
        const hashOf = (value: Uint8Array) =>
          contentHashes("Secret", { data: { key: Buffer.from(value).toString("base64") } }).hash;
        expect(hashOf(a) === hashOf(b)).toBe(Buffer.compare(a, b) === 0);
      }),
      runs,
    );
  });
});

describe("upstream's hash", () => {
  it("is SHA-1 over the entries of a Secret in the order of their bytes", () => {
    fc.assert(
      fc.property(fc.dictionary(text, bytes, { maxKeys: 4, noNullPrototype: true }), (content) => {
        const entries = Object.entries(content)
          .map(([key, value]) => Buffer.concat([Buffer.from(`${key}=`), value]).toString("hex"))
          .sort();
        const joined = Buffer.from(entries.join(Buffer.from(";").toString("hex")), "hex");
        const data = Object.fromEntries(
          Object.entries(content).map(([key, value]) => [key, Buffer.from(value).toString("base64")]),
        );
        expect(contentHashes("Secret", { data }).upstreamHash).toBe(
          createHash("sha1").update(joined).digest("hex"),
        );
      }),
      runs,
    );
  });
});
