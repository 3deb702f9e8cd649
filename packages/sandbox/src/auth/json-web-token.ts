import { createHmac, timingSafeEqual } from "node:crypto";
import { isRecord, type Random } from "@keelson/core";

/** The key that signs tokens and verifies their signatures. */
export interface TokenKey {
  readonly id: string;
  readonly secret: Uint8Array;
}

const keyLength = 32;

/** A new key. It is as hard to guess as the random numbers are. */
export function newTokenKey(random: Random): TokenKey {
  return tokenKeyOf(Uint8Array.from({ length: keyLength }, () => Math.floor(random.next() * 256)));
}

/** The key with this secret, such as that of an earlier run. */
export function tokenKeyOf(secret: Uint8Array): TokenKey {
  return { id: signature("the name of this key", secret).toString("base64url"), secret };
}

export type TokenClaims = Readonly<Record<string, unknown>>;

/** A JSON Web Token in its compact form, signed with HMAC-SHA256. */
export function signToken({ id, secret }: TokenKey, claims: TokenClaims): string {
  const signed = `${encoded({ alg: "HS256", kid: id })}.${encoded(claims)}`;
  return `${signed}.${signature(signed, secret).toString("base64url")}`;
}

/** The claims of a token, without a check of the signature; undefined if it is not a token. */
export function unverifiedClaims(token: string): TokenClaims | undefined {
  const parts = token.split(".");
  return parts.length === 3 ? decoded(parts[1] ?? "") : undefined;
}

/** Whether the token was signed with this key. */
export function isSignedWith({ secret }: TokenKey, token: string): boolean {
  const dot = token.lastIndexOf(".");
  // The header is ignored: there is one algorithm, whatever a token claims.
  const given = Buffer.from(token.slice(dot + 1), "base64url");
  const expected = signature(token.slice(0, Math.max(dot, 0)), secret);
  return given.length === expected.length && timingSafeEqual(given, expected);
}

function signature(text: string, secret: Uint8Array): Buffer {
  return createHmac("sha256", secret).update(text).digest();
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
