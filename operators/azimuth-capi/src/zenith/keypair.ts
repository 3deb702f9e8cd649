import { createPrivateKey, createPublicKey } from "node:crypto";
import type { RandomBytes } from "keelson/low-level";

/** Both keys as texts in the formats of OpenSSH. */
export interface Keypair {
  /** PEM, not encrypted. */
  readonly privateKey: string;
  /** One line, without a comment. */
  readonly publicKey: string;
}

const keyType = "ssh-ed25519";
const seedBytes = 32;
/** What comes before the seed in a private key of the format PKCS #8, which is the one that Node reads. */
const pkcs8Prefix = Buffer.from("302e020100300506032b657004220420", "hex");

/** A new keypair for Zenith's SSH server. Node knows Ed25519, but not the files of OpenSSH, which are therefore made here. */
export function makeKeypair(randomBytes: RandomBytes): Keypair {
  const seed = Buffer.from(randomBytes(seedBytes));
  const point = publicPoint(seed);
  const publicBlob = Buffer.concat([text(keyType), sized(point)]);
  return {
    privateKey: pem(privateBlob({ seed, point, publicBlob, checkInteger: Buffer.from(randomBytes(4)) })),
    publicKey: `${keyType} ${publicBlob.toString("base64")}`,
  };
}

function publicPoint(seed: Buffer): Buffer {
  const key = createPrivateKey({ key: Buffer.concat([pkcs8Prefix, seed]), format: "der", type: "pkcs8" });
  return createPublicKey(key).export({ format: "der", type: "spki" }).subarray(-seedBytes);
}

interface PrivateParts {
  readonly seed: Buffer;
  readonly point: Buffer;
  readonly publicBlob: Buffer;
  readonly checkInteger: Buffer;
}

/** As OpenSSH's PROTOCOL.key describes it, without a cipher. */
function privateBlob({ seed, point, publicBlob, checkInteger }: PrivateParts): Buffer {
  const secret = Buffer.concat([
    // Twice the same, by which a reader sees that it has decrypted the key with the right passphrase.
    ...[checkInteger, checkInteger],
    ...[text(keyType), sized(point), sized(Buffer.concat([seed, point]))],
    // The comment.
    text(""),
  ]);
  return Buffer.concat([
    Buffer.from("openssh-key-v1\0"),
    // Neither a cipher nor a derivation of keys, and so no options for it; then the number of keys.
    ...[text("none"), text("none"), text(""), uint32(1)],
    ...[sized(publicBlob), sized(padded(secret))],
  ]);
}

const blockBytes = 8;

/** The bytes 1, 2, 3 and so on fill up the last block. */
function padded(secret: Buffer): Buffer {
  const missing = (blockBytes - (secret.length % blockBytes)) % blockBytes;
  return Buffer.concat([secret, Buffer.from(Array.from({ length: missing }, (_, index) => index + 1))]);
}

function text(value: string): Buffer {
  return sized(Buffer.from(value));
}

function sized(value: Buffer): Buffer {
  return Buffer.concat([uint32(value.length), value]);
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

/** In lines of 70 characters, as OpenSSH writes them. */
function pem(blob: Buffer): string {
  const lines = blob.toString("base64").match(/.{1,70}/g) ?? [];
  return ["-----BEGIN OPENSSH PRIVATE KEY-----", ...lines, "-----END OPENSSH PRIVATE KEY-----", ""].join(
    "\n",
  );
}
