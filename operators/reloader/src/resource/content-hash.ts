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
  readonly key: Buffer;
  readonly value: Buffer;
}

/** The hashes of the content of a Secret or a ConfigMap. No content has hashes as well. */
export function contentHashes(kind: "Secret" | "ConfigMap", content: Content): ContentHashes {
  const encoding = kind === "Secret" ? "base64" : "utf8";
  const data = entriesOf("data", content.data, encoding);
  const binaryData = kind === "Secret" ? [] : entriesOf("binaryData", content.binaryData, "base64");
  return {
    hash: contentHash([...data, ...binaryData]),
    upstreamHash: upstreamHash([
      ...data.map(({ key, value }) => upstreamEntry(key, value)),
      ...binaryData.map(({ key, value }) => upstreamEntry(key, Buffer.from(value.toString("base64")))),
    ]),
  };
}

/** The hashes of what a SecretProviderClass mounts, which are its objects and their versions. */
export function mountHashes(className: string, objects: readonly MountedObject[]): ContentHashes {
  const entries = objects.map(({ id, version }) => [Buffer.from(id), Buffer.from(version)] as const);
  const sha = createHash("sha256");
  for (const [id, version] of entries.toSorted(byFirstThenSecond)) {
    updateWithLength(sha, id);
    updateWithLength(sha, version);
  }
  const name = upstreamEntry(Buffer.from("SecretProviderClassName"), Buffer.from(className));
  return {
    hash: sha.digest("hex"),
    upstreamHash: upstreamHash([...entries.map(([id, version]) => upstreamEntry(id, version)), name]),
  };
}

/** The hash over several hashes; that of the resource itself if there is one. The order of the resources does not matter. */
export function combinedHash(hashes: ReadonlyMap<string, string>): string {
  const [first, ...others] = hashes.values();
  if (first !== undefined && others.length === 0) return first;
  const sha = createHash("sha256");
  for (const [resource, hash] of [...hashes]
    .map(([a, b]) => [Buffer.from(a), Buffer.from(b)] as const)
    .toSorted(byFirstThenSecond)) {
    updateWithLength(sha, resource);
    updateWithLength(sha, hash);
  }
  return sha.digest("hex");
}

/** Every part is preceded by its length, so that no two contents are the same sequence of bytes. */
function contentHash(entries: readonly Entry[]): string {
  const sha = createHash("sha256");
  for (const { field, key, value } of entries) {
    updateWithLength(sha, Buffer.from(field));
    updateWithLength(sha, key);
    updateWithLength(sha, value);
  }
  return sha.digest("hex");
}

/** Upstream sorts the entries, not the keys: `a-b=1` comes before `a=1`. */
function upstreamHash(entries: readonly Buffer[]): string {
  const sha = createHash("sha1");
  for (const [index, entry] of entries.toSorted(Buffer.compare).entries()) {
    if (index > 0) sha.update(";");
    sha.update(entry);
  }
  return sha.digest("hex");
}

function upstreamEntry(key: Buffer, value: Buffer): Buffer {
  return Buffer.concat([key, Buffer.from("="), value]);
}

/** In the byte-wise order of their keys. */
function entriesOf(
  field: Entry["field"],
  values: Readonly<Record<string, string>> = {},
  encoding: "base64" | "utf8",
): readonly Entry[] {
  return Object.entries(values)
    .map(([key, value]) => ({ field, key: Buffer.from(key), value: Buffer.from(value, encoding) }))
    .toSorted((a, b) => Buffer.compare(a.key, b.key));
}

function updateWithLength(sha: Hash, bytes: Buffer): void {
  const length = Buffer.alloc(8);
  length.writeBigUInt64BE(BigInt(bytes.length));
  sha.update(length).update(bytes);
}

function byFirstThenSecond(a: readonly [Buffer, Buffer], b: readonly [Buffer, Buffer]): number {
  return Buffer.compare(a[0], b[0]) || Buffer.compare(a[1], b[1]);
}
