import { isIP } from "node:net";
import { isRecord, toError } from "@keelson/core";

/** The message of the real server for a failed connection; the message of any other error unchanged. */
export function networkProblem(error: unknown): string {
  // A name with several addresses fails with an error for each of them; the first counts.
  const first: unknown = error instanceof AggregateError ? (error.errors[0] ?? error) : error;
  const { code, address, port, hostname } = isRecord(first) ? first : {};
  if (typeof code !== "string") return toError(first).message;
  if (code === "ENOTFOUND") return `dial tcp: lookup ${hostname}: no such host`;
  if (unverified.has(code)) return `${unverifiedText}: certificate signed by unknown authority`;
  if (plainText.has(code)) return "http: server gave HTTP response to HTTPS client";
  if (code === "ERR_TLS_CERT_ALTNAME_INVALID") return otherName(first);
  // Node's word for a connection that ends before the response.
  if (code === "ECONNRESET" && toError(first).message === "socket hang up") return "EOF";
  const problem = refusals.get(code);
  if (problem === undefined || typeof address !== "string") return toError(first).message;
  const host = address.includes(":") ? `[${address}]` : address;
  return `dial tcp ${host}:${port}: connect: ${problem}`;
}

/** A certificate for other names than the one that was called; Node adds both to its error. */
function otherName(error: unknown): string {
  const { host, cert } = isRecord(error) ? error : {};
  const { subjectaltname = "" } = isRecord(cert) ? cert : {};
  const names = String(subjectaltname).split(", ");
  const sort = isIP(String(host)) === 0 ? "DNS:" : "IP Address:";
  const valid = names.flatMap((name) => (name.startsWith(sort) ? [name.slice(sort.length)] : []));
  if (valid.length > 0) return `${unverifiedText}: certificate is valid for ${valid.join(", ")}, not ${host}`;
  return sort === "DNS:"
    ? `${unverifiedText}: certificate is not valid for any names, but wanted to match ${host}`
    : `${unverifiedText}: cannot validate certificate for ${host} because it doesn't contain any IP SANs`;
}

const unverifiedText = "tls: failed to verify certificate: x509";

/** How TLS reads the response of a server without TLS. */
const plainText: ReadonlySet<string> = new Set([
  "EPROTO",
  "ERR_SSL_PACKET_LENGTH_TOO_LONG",
  "ERR_SSL_WRONG_VERSION_NUMBER",
]);

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
