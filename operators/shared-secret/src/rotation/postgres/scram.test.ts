import { createHash, createHmac } from "node:crypto";
import { describe, expect, it } from "vitest";
import { scramVerifier } from "./scram.ts";

/** The exchange of RFC 7677, section 3. */
const salt = "W22ZaJ0SNY7soEsUEjb6gQ==";
const authMessage = [
  "n=user,r=rOprNGfwEbeRWgbNEkqO",
  `r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,s=${salt},i=4096`,
  "c=biws,r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0",
].join(",");
const clientProof = "dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ=";
const serverSignature = "6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4=";

function signed(key: string): Buffer {
  return createHmac("sha256", Buffer.from(key, "base64")).update(authMessage).digest();
}

describe("the verifier of a password", () => {
  const verifier = scramVerifier("pencil", Buffer.from(salt, "base64"));
  const [, head, storedKey = "", serverKey = ""] = /^(.*)\$([^$:]+):([^$:]+)$/.exec(verifier) ?? [];

  it("has the form that PostgreSQL stores", () => {
    expect(head).toBe(`SCRAM-SHA-256$4096:${salt}`);
    expect([storedKey, serverKey].map((key) => Buffer.from(key, "base64").length)).toEqual([32, 32]);
  });

  it("accepts the proof of a client that knows the password", () => {
    const signature = signed(storedKey);
    const clientKey = Buffer.from(clientProof, "base64").map((byte, index) => byte ^ (signature[index] ?? 0));
    expect(createHash("sha256").update(clientKey).digest("base64")).toBe(storedKey);
  });

  it("lets the server prove that it knows the verifier", () => {
    expect(signed(serverKey).toString("base64")).toBe(serverSignature);
  });
});
