import { createPrivateKey, type JsonWebKey } from "node:crypto";
import { InvalidCanisterSettingError } from "./setting-error.ts";

/** The private key that requests to a canister are signed with. It must not be logged. */
export interface IdentityKey {
  readonly curve: "Ed25519" | "secp256k1";
  /** 32 bytes. */
  readonly secretKey: Uint8Array;
}

/** The key in a PEM text as `dfx identity export` and OpenSSL write it: PKCS#8 or, for secp256k1, SEC 1. Not encrypted. */
export function parseIdentityKey(pem: string): IdentityKey {
  if (pem.trim() === "")
    throw invalidIdentity("there is none, and the canister takes no requests of anonymous users");
  if (/ENCRYPTED/.test(pem)) throw invalidIdentity("it is encrypted");
  const secretKey = keyBesidePublicKey(pem);
  if (secretKey !== undefined) return { curve: "Ed25519", secretKey };
  const { crv: curve, d = "" } = exportedKey(pem);
  if (curve !== "Ed25519" && curve !== "secp256k1")
    throw invalidIdentity("its key is neither of Ed25519 nor of secp256k1");
  return { curve, secretKey: Uint8Array.from(Buffer.from(d, "base64url")) };
}

function exportedKey(pem: string): JsonWebKey {
  try {
    return createPrivateKey(pem).export({ format: "jwk" });
  } catch (error) {
    throw invalidIdentity("it is no private key in PEM", { cause: error });
  }
}

/** PKCS#8 of version 2, with an Ed25519 key of 32 bytes; the public key follows. The length of all of it is left out. */
const versionTwo = Buffer.from("020101300506032b657004220420", "hex");

/** Earlier versions of dfx wrote the public key as well, which OpenSSL cannot read before version 3.2. */
function keyBesidePublicKey(pem: string): Uint8Array | undefined {
  const [, base64 = ""] = /-----BEGIN PRIVATE KEY-----([^-]+)-----END PRIVATE KEY-----/.exec(pem) ?? [];
  const der = Buffer.from(base64, "base64");
  const start = 2 + versionTwo.length;
  return der.indexOf(versionTwo) === 2 && der.length > start + 32
    ? Uint8Array.from(der.subarray(start, start + 32))
    : undefined;
}

function invalidIdentity(problem: string, options?: ErrorOptions): InvalidCanisterSettingError {
  return new InvalidCanisterSettingError(
    "identity",
    `use the identity for the canister: ${problem}; write the output of dfx identity export NAME`,
    options,
  );
}
