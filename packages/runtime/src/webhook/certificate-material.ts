import { X509Certificate } from "node:crypto";
import { isRecord, type ServingCertificate } from "@keelson/core";
import { checkServingCertificate } from "./certificate-source.ts";
import { InvalidCertificateError } from "./errors.ts";
import type { RotationState, Validity } from "./rotation-plan.ts";

/** The certificates and keys that the replicas of an operator share in a Secret. */
export interface CertificateMaterial {
  /** The authority whose key signs. */
  readonly signer: ServingCertificate;
  readonly next: (ServingCertificate & { readonly introducedAtMs: number }) | undefined;
  /** Signs nothing any more, so its key is not stored. */
  readonly previous: { readonly certificate: string; readonly retiredAtMs: number } | undefined;
  readonly leaf: ServingCertificate;
}

/**
 * What the API server must trust: every authority whose leaf a replica may serve now or soon. The oldest comes first, so
 * that a switch does not change the bundle.
 */
export function bundleOf({ signer, next, previous }: CertificateMaterial): string {
  return [previous, signer, next]
    .flatMap((authority) => (authority === undefined ? [] : [`${authority.certificate.trim()}\n`]))
    .join("");
}

/** The state that the rotation is planned from. */
export function stateOf({ signer, next, previous, leaf }: CertificateMaterial): RotationState {
  const served = new X509Certificate(leaf.certificate);
  return {
    signer: validityOf(new X509Certificate(signer.certificate)),
    next: next && {
      ...validityOf(new X509Certificate(next.certificate)),
      introducedAtMs: next.introducedAtMs,
    },
    previous: previous && { retiredAtMs: previous.retiredAtMs },
    leaf: { ...validityOf(served), hosts: hostsOf(served) },
  };
}

function validityOf({ validFrom, validTo }: X509Certificate): Validity {
  return { notBeforeMs: Date.parse(validFrom), notAfterMs: Date.parse(validTo) };
}

function hostsOf({ subjectAltName = "" }: X509Certificate): readonly string[] {
  return subjectAltName
    .split(", ")
    .filter((name) => name !== "")
    .map((name) => name.replace(/^(?:DNS|IP Address):/, ""));
}

/** The `data` of a Secret of type kubernetes.io/tls. */
export function materialToData(material: CertificateMaterial): Readonly<Record<string, string>> {
  const { signer, next, previous, leaf } = material;
  const authorities = { signer: signer.certificate, next, previous };
  const texts = {
    "tls.crt": leaf.certificate,
    "tls.key": leaf.key,
    "ca.crt": bundleOf(material),
    "ca.key": signer.key,
    "authorities.json": JSON.stringify(authorities),
  };
  return Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, encode(text)]));
}

/** Reads the `data` of the Secret. Throws an InvalidCertificateError, which quotes nothing of it, if it is invalid. */
export function materialFromData(
  what: string,
  data: Readonly<Record<string, string>> | undefined,
): CertificateMaterial {
  const text = (name: string): string => Buffer.from(data?.[name] ?? "", "base64").toString("utf8");
  const authorities = parseAuthorities(what, text("authorities.json"));
  const { signer: signerCertificate, next, previous } = authorities;
  const signer = checkServingCertificate(`the authority of ${what}`, {
    certificate: signerCertificate,
    key: text("ca.key"),
  });
  if (next !== undefined) checkServingCertificate(`the next authority of ${what}`, next);
  const leaf = checkServingCertificate(what, { certificate: text("tls.crt"), key: text("tls.key") });
  const { publicKey } = new X509Certificate(signer.certificate);
  if (!new X509Certificate(leaf.certificate).verify(publicKey)) {
    throw new InvalidCertificateError(what, "it was not signed by the authority beside it");
  }
  return { signer, next, previous, leaf };
}

type Authorities = Pick<CertificateMaterial, "next" | "previous"> & { readonly signer: string };

function parseAuthorities(what: string, text: string): Authorities {
  const parsed = parseJson(text);
  const problem = new InvalidCertificateError(what, "authorities.json is invalid");
  if (!isRecord(parsed) || typeof parsed.signer !== "string") throw problem;
  const { signer, next, previous } = parsed;
  if (next !== undefined && !isNext(next)) throw problem;
  if (previous !== undefined && !isPrevious(previous)) throw problem;
  return { signer, next, previous };
}

/** The error of a parser would quote the text, which contains a key. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isNext(value: unknown): value is NonNullable<CertificateMaterial["next"]> {
  return (
    isRecord(value) &&
    typeof value.certificate === "string" &&
    typeof value.key === "string" &&
    typeof value.introducedAtMs === "number"
  );
}

function isPrevious(value: unknown): value is NonNullable<CertificateMaterial["previous"]> {
  return isRecord(value) && typeof value.certificate === "string" && typeof value.retiredAtMs === "number";
}

function encode(text: string): string {
  return Buffer.from(text, "utf8").toString("base64");
}
