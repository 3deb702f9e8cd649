import { generateKeyPairSync, type KeyObject } from "node:crypto";
import { expect, it } from "vitest";
import { parseIdentityKey } from "./identity-key.ts";
import { InvalidCanisterSettingError } from "./setting-error.ts";

const ed25519 = generateKeyPairSync("ed25519").privateKey;
const secp256k1 = generateKeyPairSync("ec", { namedCurve: "secp256k1" }).privateKey;

function secretOf(key: KeyObject): Buffer {
  return Buffer.from(key.export({ format: "jwk" }).d ?? "", "base64url");
}

function pemOf(key: KeyObject, type: "pkcs8" | "sec1"): string {
  return String(key.export({ format: "pem", type }));
}

/** PKCS#8 with the public key, in the form of earlier versions of dfx or that of RFC 5958. */
function withPublicKey(key: KeyObject, length: string, header: string): string {
  const { x = "" } = key.export({ format: "jwk" });
  const der = Buffer.concat([
    Buffer.from(`30${length}020101300506032b657004220420`, "hex"),
    secretOf(key),
    Buffer.from(header, "hex"),
    Buffer.from(x, "base64url"),
  ]);
  return `-----BEGIN PRIVATE KEY-----\n${der.toString("base64")}\n-----END PRIVATE KEY-----\n`;
}

const parameters = "-----BEGIN EC PARAMETERS-----\nBgUrgQQACg==\n-----END EC PARAMETERS-----\n";

it.each([
  ["an Ed25519 key", pemOf(ed25519, "pkcs8"), "Ed25519", ed25519],
  [
    "an Ed25519 key with its public key, as dfx wrote it",
    withPublicKey(ed25519, "53", "a123032100"),
    "Ed25519",
    ed25519,
  ],
  [
    "an Ed25519 key with its public key, as RFC 5958 says",
    withPublicKey(ed25519, "51", "812100"),
    "Ed25519",
    ed25519,
  ],
  ["a secp256k1 key in SEC 1", pemOf(secp256k1, "sec1"), "secp256k1", secp256k1],
  ["a secp256k1 key after its parameters", parameters + pemOf(secp256k1, "sec1"), "secp256k1", secp256k1],
  ["a secp256k1 key in PKCS#8", pemOf(secp256k1, "pkcs8"), "secp256k1", secp256k1],
] as const)("reads %s", (_, pem, curve, key) => {
  const parsed = parseIdentityKey(pem);
  expect(parsed.curve).toBe(curve);
  expect(Buffer.from(parsed.secretKey)).toEqual(secretOf(key));
});

const encrypted = secp256k1.export({ format: "pem", type: "pkcs8", cipher: "aes-128-cbc", passphrase: "x" });
const otherCurve = generateKeyPairSync("ec", { namedCurve: "prime256v1" }).privateKey;

it.each([
  ["no identity", " \n", "takes no requests of anonymous users"],
  ["other text", "hunter2", "it is no private key in PEM"],
  [
    "a broken key",
    pemOf(ed25519, "pkcs8").replace(/.{20}\n-----END/, "\n-----END"),
    "it is no private key in PEM",
  ],
  ["an encrypted key", String(encrypted), "it is encrypted"],
  ["a key of another curve", pemOf(otherCurve, "pkcs8"), "neither of Ed25519 nor of secp256k1"],
])("refuses %s and says what to write", (_, pem, problem) => {
  const parse = () => parseIdentityKey(pem);
  expect(parse).toThrow(InvalidCanisterSettingError);
  expect(parse).toThrow(problem);
  expect(parse).toThrow("write the output of dfx identity export NAME");
  if (pem.trim() !== "") expect(parse).not.toThrow(pem.trim());
});
