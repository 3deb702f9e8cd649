import { createHmac, timingSafeEqual } from "node:crypto";
import { isRecord, type Random } from "@keelson/core";

/** Signs tokens, and knows its own signature again. */
export interface TokenKey {
  readonly id: string;
  readonly secret: Uint8Array;
}

const keyLength = 32;

/** A new key. What others may guess of the random numbers, they may guess of the tokens. */
export function newTokenKey(random: Random): TokenKey {
  return tokenKeyOf(Uint8Array.from({ length: keyLength }, () => Math.floor(random.next() * 256)));
}

/** The key with this secret, such as one that a former run has kept. */
export function tokenKeyOf(secret: Uint8Array): TokenKey {
  return { id: signature("the name of this key", secret).toString("base64url"), secret };
}

export type TokenClaims = Readonly<Record<string, unknown>>;

/** A JSON Web Token in its compact form, signed with HMAC-SHA256. */
export function signToken({ id, secret }: TokenKey, claims: TokenClaims): string {
  const signed = `${encoded({ alg: "HS256", kid: id })}.${encoded(claims)}`;
  return `${signed}.${signature(signed, secret).toString("base64url")}`;
}

/** What any token says, whoever signed it; undefined for what is none. */
export function unverifiedClaims(token: string): TokenClaims | undefined {
  const parts = token.split(".");
  return parts.length === 3 ? decoded(parts[1] ?? "") : undefined;
}

/** Whether the token was signed with this key. */
export function isSignedWith({ secret }: TokenKey, token: string): boolean {
  const dot = token.lastIndexOf(".");
  // The header is not asked: there is one algorithm, whatever a token claims.
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
    // Anybody may send anything as a token: what cannot be read is none.
    return undefined;
  }
}
