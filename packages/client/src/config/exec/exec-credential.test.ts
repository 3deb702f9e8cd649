import { describe, expect, it } from "vitest";
import { selfSigned } from "../../../test/support/certificates.ts";
import { readExecCredential } from "./exec-credential.ts";

const v1 = "client.authentication.k8s.io/v1";
const answer = (status: unknown): string =>
  JSON.stringify({ kind: "ExecCredential", apiVersion: v1, spec: {}, status });

describe("what an exec plugin prints", () => {
  it("is a token, a certificate with its key, or both, and when they expire", async () => {
    const { cert, key } = await selfSigned("ann");
    const status = {
      token: "t",
      clientCertificateData: cert,
      clientKeyData: key,
      expirationTimestamp: "2026-01-31T12:00:00+01:00",
    };
    expect(readExecCredential(answer(status), v1)).toEqual({
      token: "t",
      certificate: { cert, key },
      expiresAtMs: Date.parse("2026-01-31T11:00:00Z"),
    });
    expect(readExecCredential(answer({ token: "t", expirationTimestamp: null }), v1)).toEqual({ token: "t" });
  });

  it.each([
    ["", "not-json", "it printed nothing"],
    ["s3cr3t-t0ken", "not-json", "its output is not a JSON object"],
    ['"s3cr3t-t0ken"', "not-json", "its output is not a JSON object"],
    ['{"token":"s3cr3t-t0ken"}', "wrong-kind", "its output is not an ExecCredential"],
    [
      '{"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1beta1"}',
      "wrong-version",
      "it does not print client.authentication.k8s.io/v1,",
    ],
    [answer(undefined), "invalid-credential", "its output has no status"],
    [answer({}), "invalid-credential", "neither a token nor a certificate"],
    [answer({ token: 12345678 }), "invalid-credential", "that is not a string"],
    [answer({ clientKeyData: "s3cr3t" }), "invalid-credential", "only one of certificate and key"],
    [answer({ token: "t", expirationTimestamp: "tomorrow" }), "invalid-credential", "expirationTimestamp"],
    [
      answer({ token: "t", expirationTimestamp: "2026-13-41T00:00:00Z" }),
      "invalid-credential",
      "expirationTimestamp",
    ],
    [
      answer({ clientCertificateData: "s3cr3t", clientKeyData: "s3cr3t" }),
      "invalid-credential",
      "the certificate of its output is not PEM",
    ],
  ])("is refused when it is %j", (stdout, failure, problem) => {
    const result = readExecCredential(stdout, v1);
    expect(result).toMatchObject({ failure, problem: expect.stringContaining(problem) });
    expect(JSON.stringify(result)).not.toMatch(/s3cr3t|12345678/);
  });
});
