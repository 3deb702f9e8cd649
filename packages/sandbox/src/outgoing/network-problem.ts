import { isRecord, toError } from "@keelson/core";

/** The message of the real server for a failed connection; the message of any other error unchanged. */
export function networkProblem(error: unknown): string {
  // A name with several addresses fails with an error for each of them; the first counts.
  const first: unknown = error instanceof AggregateError ? (error.errors[0] ?? error) : error;
  const { code, address, port, hostname } = isRecord(first) ? first : {};
  if (typeof code !== "string") return toError(first).message;
  if (code === "ENOTFOUND") return `dial tcp: lookup ${hostname}: no such host`;
  if (unverified.has(code)) {
    return "tls: failed to verify certificate: x509: certificate signed by unknown authority";
  }
  const problem = refusals.get(code);
  if (problem === undefined || typeof address !== "string") return toError(first).message;
  const host = address.includes(":") ? `[${address}]` : address;
  return `dial tcp ${host}:${port}: connect: ${problem}`;
}

const refusals: ReadonlyMap<string, string> = new Map([
  ["ECONNREFUSED", "connection refused"],
  ["EHOSTUNREACH", "no route to host"],
  ["ENETUNREACH", "network is unreachable"],
  ["ETIMEDOUT", "connection timed out"],
]);

const unverified: ReadonlySet<string> = new Set([
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
]);
