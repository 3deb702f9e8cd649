import { describe, expect, it } from "vitest";
import { base64, selfSigned } from "../../test/support/certificates.ts";
import { checkAuthority, checkPair, decodeData } from "./pem.ts";

describe("PEM in a kubeconfig", () => {
  it("is base64-encoded once more, maybe over several lines", () => {
    expect(decodeData("f", base64("some text"))).toBe("some text");
    expect(decodeData("f", `${base64("some text").slice(0, 4)}\n${base64("some text").slice(4)}\n`)).toBe(
      "some text",
    );
    for (const data of ["-----BEGIN CERTIFICATE-----", "abc", "a===", "ab_-"]) {
      expect(() => decodeData("client-key-data", data)).toThrow("client-key-data is not base64");
    }
  });

  it("of an authority holds a certificate", async () => {
    const { cert, key } = await selfSigned("ca");
    expect(checkAuthority("f", cert)).toBe(cert);
    expect(() => checkAuthority("ca.crt", key)).toThrow("ca.crt holds no PEM certificate");
  });

  it("of a client holds a certificate and the key that belongs to it", async () => {
    const [one, other] = await Promise.all([selfSigned("one"), selfSigned("other")]);
    expect(checkPair("u", one)).toEqual(one);
    expect(() => checkPair("u", { cert: one.cert, key: other.key })).toThrow("do not belong together");
    expect(() => checkPair("u", { cert: one.cert, key: "x" })).toThrow(
      "the key of u is not PEM, or has a password",
    );
    expect(() => checkPair("u", { cert: "x", key: one.key })).toThrow("the certificate of u is not PEM");
  });
});
