import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { combinedHash, contentHashes, mountHashes } from "./content-hash.ts";

const base64 = (bytes: string | readonly number[]): string =>
  Buffer.from(typeof bytes === "string" ? Buffer.from(bytes) : Uint8Array.from(bytes)).toString("base64");

describe("upstream's hash", () => {
  // The expected values were printed by upstream's functions.
  it.each([
    ["no content", {}, "da39a3ee5e6b4b0d3255bfef95601890afd80709"],
    ["one key", { data: { a: "1" } }, "86eda770a6060824b090dd4df091e3bd4121279c"],
    [
      "keys whose entries sort otherwise than they do",
      { data: { a: "1", "a-b": "2", "a.c": "3" } },
      "39a04b4400006f1c528395e3c444fc4486f15aec",
    ],
    [
      "text of several bytes per character, and binary data",
      {
        data: { url: "http://x?a=b;c", text: "grüße 😀\uffff\n" },
        binaryData: { bin: base64([0, 255, 254, 10]), A: "" },
      },
      "4bc1e0ba35901a47b460321d7bd8a79cfcfce277",
    ],
    ["a value that looks like two", { data: { a: "1;b=2" } }, "f83e99e324ba68ccc373a58ef1eb42f8ab88646a"],
    ["the two", { data: { a: "1", b: "2" } }, "f83e99e324ba68ccc373a58ef1eb42f8ab88646a"],
    [
      "a character outside of the basic plane",
      { data: { k: "\u{1F600}" }, binaryData: { k2: base64([0xef]) } },
      "742b0b1860b7d1f77c4dff4b24546dc481f89a3e",
    ],
  ])("is that of a ConfigMap with %s", (_, content, expected) => {
    expect(contentHashes("ConfigMap", content).upstreamHash).toBe(expected);
  });

  it.each([
    ["no content", {}, "da39a3ee5e6b4b0d3255bfef95601890afd80709"],
    [
      "text",
      { password: base64("hunter2"), user: base64("root") },
      "8278c850ee18e87aaea6094d3114a6c081b6517a",
    ],
    [
      "bytes that are no text",
      { bin: base64([0, 255, 254, 10, 128]), a: "" },
      "24cfd13a41680247dc7070e4dca1d752e95f70ad",
    ],
    [
      "entries whose order by bytes is not that by UTF-16",
      { k: base64("\u{1F600}"), "k=": base64("\uffff") },
      "c41ac2346e88cb663a96e4f05253ea1f38e33659",
    ],
  ])("is that of a Secret with %s", (_, data, expected) => {
    expect(contentHashes("Secret", { data }).upstreamHash).toBe(expected);
  });

  it("is that of what a SecretProviderClass mounts, in any order", () => {
    const objects = [
      { id: "db", version: "2" },
      { id: "api", version: "v1" },
    ];
    const expected = "ee6e0b6723aae70091c5d5cc0e1ee78c6a943ffe";
    expect(mountHashes("vault", objects).upstreamHash).toBe(expected);
    expect(mountHashes("vault", objects.toReversed()).upstreamHash).toBe(expected);
    expect(mountHashes("vault", []).upstreamHash).toBe("10316a93b485aacb8d4d4b8519ecf88ec97cc082");
  });
});

describe("the hash of content", () => {
  const hashOf = (data: Readonly<Record<string, string>>) => contentHashes("ConfigMap", { data }).hash;

  it("is SHA-256 in hexadecimal digits, of no content too", () => {
    expect(hashOf({})).toBe(createHash("sha256").digest("hex"));
    expect(contentHashes("Secret", {}).hash).toBe(hashOf({}));
  });

  it("is the same for an empty field and none", () => {
    expect(contentHashes("ConfigMap", { data: {}, binaryData: {} }).hash).toBe(hashOf({}));
  });

  it.each([
    ["a separator in a value", { a: "1;b:2" }, { a: "1", b: "2" }],
    ["a separator in a value, as upstream joins", { a: "1;b=2" }, { a: "1", b: "2" }],
    ["a character that moves from the key to the value", { ab: "c" }, { a: "bc" }],
    ["an empty value and no key", { a: "" }, {}],
    ["keys and values in exchange", { a: "b" }, { b: "a" }],
    ["two values in exchange", { a: "1", b: "2" }, { a: "2", b: "1" }],
    ["white space at the end", { a: "1" }, { a: "1\n" }],
    ["a value that contains a length", { a: "\0\0\0\0\0\0\0\u0001b" }, { a: "", "\0": "b" }],
    ["composed and decomposed characters", { a: "\u00e9" }, { a: "e\u0301" }],
  ])("differs for %s", (_, one, other) => {
    expect(hashOf(one)).not.toBe(hashOf(other));
  });

  it("does not depend on the order of keys", () => {
    expect(hashOf({ b: "2", a: "1" })).toBe(hashOf({ a: "1", b: "2" }));
  });

  it("differs for a key that moves from data to binaryData", () => {
    expect(contentHashes("ConfigMap", { binaryData: { a: base64("1") } }).hash).not.toBe(hashOf({ a: "1" }));
  });

  it("reads the bytes of a Secret, which need not be text", () => {
    const ofBytes = (...bytes: number[]) => contentHashes("Secret", { data: { a: base64(bytes) } }).hash;
    // Both would be the same text.
    expect(ofBytes(0xff)).not.toBe(ofBytes(0xfe));
    expect(contentHashes("Secret", { data: { a: base64("1") } }).hash).toBe(hashOf({ a: "1" }));
  });

  it("takes milliseconds for a Secret of 1 MB", () => {
    const data = { a: base64("x".repeat(1_000_000)) };
    const startMs = performance.now();
    contentHashes("Secret", { data });
    expect(performance.now() - startMs).toBeLessThan(250);
  });

  it("differs for another version of a mounted object, and not for another order", () => {
    const hash = (...objects: { id: string; version: string }[]) => mountHashes("vault", objects).hash;
    const db = { id: "db", version: "1" };
    const api = { id: "api", version: "1" };
    expect(hash(db, api)).toBe(hash(api, db));
    expect(hash(db, api)).not.toBe(hash({ ...db, version: "2" }, api));
    expect(hash({ id: "db=1;api", version: "1" })).not.toBe(hash(db, api));
  });
});

describe("the hash over several resources", () => {
  it("is that of the resource if there is one", () => {
    expect(combinedHash(new Map([["shop/Secret/db", "abc"]]))).toBe("abc");
  });

  it("does not depend on their order, and differs for each of their hashes", () => {
    const [db, tls] = [
      ["shop/Secret/db", "1"],
      ["shop/Secret/tls", "2"],
    ] as const;
    const hash = combinedHash(new Map([db, tls]));
    expect(combinedHash(new Map([tls, db]))).toBe(hash);
    expect(
      combinedHash(new Map([["shop/Secret/db", "2"] as const, ["shop/Secret/tls", "1"] as const])),
    ).not.toBe(hash);
  });
});
