import {
  createECDH,
  createHash,
  createHmac,
  createPrivateKey,
  createPublicKey,
  type KeyObject,
  sign,
  verify,
} from "node:crypto";
import { isRecord, type Random } from "@keelson/core";

/** The key that signs tokens and verifies their signatures. */
export interface TokenKey {
  readonly id: string;
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
  /** The public key as other programs read it. */
  readonly jwk: PublicJwk;
}

/** A public key as a JSON Web Key. */
export interface PublicJwk {
  readonly use: "sig";
  readonly kty: "EC";
  readonly kid: string;
  readonly crv: "P-256";
  readonly alg: "ES256";
  readonly x: string;
  readonly y: string;
}

const secretLength = 32;

/** A new secret. It is as hard to guess as the random numbers are. */
export function newSecret(random: Random): Uint8Array {
  return Uint8Array.from({ length: secretLength }, () => Math.floor(random.next() * 256));
}

/** The order of the curve P-256: private keys are less. */
const order = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;

/** The key that a secret stands for, such as that of an earlier run. */
export function tokenKeyOf(secret: Uint8Array): TokenKey {
  const ecdh = createECDH("prime256v1");
  ecdh.setPrivateKey(privateNumber(secret), "hex");
  // An uncompressed point: a byte, and both coordinates.
  const point = ecdh.getPublicKey();
  const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((part) => part.toString("base64url"));
  const d = ecdh.getPrivateKey().toString("base64url");
  const curve = { kty: "EC", crv: "P-256", x: x ?? "", y: y ?? "" } as const;
  const privateKey = createPrivateKey({ key: { ...curve, d }, format: "jwk" });
  const publicKey = createPublicKey(privateKey);
  const id = createHash("sha256")
    .update(publicKey.export({ type: "spki", format: "der" }))
    .digest("base64url");
  const jwk: PublicJwk = { use: "sig", kid: id, alg: "ES256", ...curve };
  return { id, privateKey, publicKey, jwk };
}

/** As 64 hexadecimal digits. */
function privateNumber(secret: Uint8Array): string {
  const wide = createHmac("sha512", secret).update("the key that signs tokens").digest("hex");
  const number = (BigInt(`0x${wide}`) % (order - 1n)) + 1n;
  return number.toString(16).padStart(64, "0");
}

export type TokenClaims = Readonly<Record<string, unknown>>;

/** A JSON Web Token in its compact form, signed with ES256. */
export function signToken({ id, privateKey }: TokenKey, claims: TokenClaims): string {
  const signed = `${encoded({ alg: "ES256", kid: id })}.${encoded(claims)}`;
  const signature = sign("sha256", Buffer.from(signed), { key: privateKey, dsaEncoding: "ieee-p1363" });
  return `${signed}.${signature.toString("base64url")}`;
}

/** The claims of a token, without a check of the signature; undefined if it is not a token. */
export function unverifiedClaims(token: string): TokenClaims | undefined {
  const parts = token.split(".");
  return parts.length === 3 ? decoded(parts[1] ?? "") : undefined;
}

/** Whether the token was signed with this key. */
export function isSignedWith({ publicKey }: TokenKey, token: string): boolean {
  const dot = token.lastIndexOf(".");
  // The header is ignored: there is one algorithm, whatever a token claims.
  const signature = Buffer.from(token.slice(dot + 1), "base64url");
  const signed = Buffer.from(token.slice(0, Math.max(dot, 0)));
  return verify("sha256", signed, { key: publicKey, dsaEncoding: "ieee-p1363" }, signature);
}

function encoded(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString("base64url");
}

function decoded(part: string): TokenClaims | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, "base64url").toString());
    return isRecord(value) ? value : undefined;
  } catch {
    // A client may send any text as a token.
    return undefined;
  }
}
