import { createHash, type Hash } from "node:crypto";

/** The content of a Secret or a ConfigMap, as the API server sends it. */
export interface Content {
  /** Text in a ConfigMap, base64 in a Secret. */
  readonly data?: Readonly<Record<string, string>>;
  /** Base64; only in a ConfigMap. */
  readonly binaryData?: Readonly<Record<string, string>>;
}

/** An object that a SecretProviderClass mounts, and its version at the external store. */
export interface MountedObject {
  readonly id: string;
  readonly version: string;
}

/** Two hashes of the same content, in hexadecimal digits. */
export interface ContentHashes {
  /** SHA-256; equal content, and only that, has equal hashes. */
  readonly hash: string;
  /** SHA-1 as upstream computes it, for its `STAKATER_*` variables. */
  readonly upstreamHash: string;
}

interface Entry {
  readonly field: "data" | "binaryData";
  readonly key: string;
  /** As the API server sends it: decoded only within the hash, so that no copy of the content waits for the garbage collector. */
  readonly value: string;
  readonly encoding: "base64" | "utf8";
}

/** The hashes of the content of a Secret or a ConfigMap. No content has hashes as well. */
export function contentHashes(kind: "Secret" | "ConfigMap", content: Content): ContentHashes {
  const data = entriesOf("data", content.data, kind === "Secret" ? "base64" : "utf8");
  const binaryData = kind === "Secret" ? [] : entriesOf("binaryData", content.binaryData, "base64");
  return {
    hash: contentHash([...data, ...binaryData]),
    upstreamHash: upstreamContentHash([
      ...data,
      // Upstream hashes binary data of a ConfigMap as the text that the API server sends.
      ...binaryData.map((entry): Entry => ({ ...entry, encoding: "utf8" })),
    ]),
  };
}

/** The hashes of what a SecretProviderClass mounts, which are its objects and their versions. */
export function mountHashes(className: string, objects: readonly MountedObject[]): ContentHashes {
  const entries = objects.map(({ id, version }) => [id, version] as const);
  const sha = createHash("sha256");
  for (const [id, version] of entries.toSorted(byFirstThenSecond)) {
    updateWithLength(sha, id);
    updateWithLength(sha, version);
  }
  const upstreamEntries = [...entries, ["SecretProviderClassName", className] as const];
  const text = upstreamEntries
    .map(([id, version]) => `${id}=${version}`)
    .toSorted(compareBytes)
    .join(";");
  return { hash: sha.digest("hex"), upstreamHash: createHash("sha1").update(text).digest("hex") };
}

/** The hash over several hashes; that of the resource itself if there is one. The order of the resources does not matter. */
export function combinedHash(hashes: ReadonlyMap<string, string>): string {
  const [first, ...others] = hashes.values();
  if (first !== undefined && others.length === 0) return first;
  const sha = createHash("sha256");
  for (const [resource, hash] of [...hashes].toSorted(byFirstThenSecond)) {
    updateWithLength(sha, resource);
    updateWithLength(sha, hash);
  }
  return sha.digest("hex");
}

/** Every part is preceded by its length, so that no two contents are the same sequence of bytes. */
function contentHash(entries: readonly Entry[]): string {
  const sha = createHash("sha256");
  for (const { field, key, value, encoding } of entries) {
    updateWithLength(sha, field);
    updateWithLength(sha, key);
    updateWithLength(sha, value, encoding);
  }
  return sha.digest("hex");
}

/** Upstream sorts the entries, not the keys: `a-b=1` comes before `a=1`. */
function upstreamContentHash(entries: readonly Entry[]): string {
  const sha = createHash("sha1");
  for (const [index, { key, value, encoding }] of entries.toSorted(compareEntries).entries())
    sha.update(`${index > 0 ? ";" : ""}${key}=`).update(value, encoding);
  return sha.digest("hex");
}

/** In the byte-wise order of key, `=` and value; values only decide if a key contains `=`. */
function compareEntries(a: Entry, b: Entry): number {
  const [first, second] = [`${a.key}=`, `${b.key}=`];
  if (!first.startsWith(second) && !second.startsWith(first)) return compareBytes(first, second);
  const bytesOf = ({ key, value, encoding }: Entry): Buffer =>
    Buffer.concat([Buffer.from(`${key}=`), Buffer.from(value, encoding)]);
  return Buffer.compare(bytesOf(a), bytesOf(b));
}

/** In the byte-wise order of their keys. */
function entriesOf(
  field: Entry["field"],
  values: Readonly<Record<string, string>> = {},
  encoding: "base64" | "utf8",
): readonly Entry[] {
  return Object.entries(values)
    .map(([key, value]) => ({ field, key, value, encoding }))
    .toSorted((a, b) => compareBytes(a.key, b.key));
}

function updateWithLength(sha: Hash, text: string, encoding: Entry["encoding"] = "utf8"): void {
  const length = Buffer.alloc(8);
  length.writeBigUInt64BE(BigInt(Buffer.byteLength(text, encoding)));
  sha.update(length).update(text, encoding);
}

/** Not the order of UTF-16 code units, which strings are compared by. */
function compareBytes(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

function byFirstThenSecond(a: readonly [string, string], b: readonly [string, string]): number {
  return compareBytes(a[0], b[0]) || compareBytes(a[1], b[1]);
}
