import { createPrivateKey, X509Certificate } from "node:crypto";
import { SettingProblem } from "./errors.ts";

export interface CertificateAndKey {
  /** PEM. */
  readonly cert: string;
  /** PEM. */
  readonly key: string;
}

/** Decodes a `…-data` field of a kubeconfig. */
export function decodeData(field: string, data: string): string {
  const packed = data.replace(/\s/g, "");
  if (packed.length % 4 !== 0 || !/^[A-Za-z\d+/]+={0,2}$/.test(packed)) {
    throw new SettingProblem(`${field} is not base64`, "write PEM that is base64-encoded once more");
  }
  return Buffer.from(packed, "base64").toString("utf8");
}

/** Returns the bundle of certificate authorities if it is one. */
export function checkAuthority(what: string, pem: string): string {
  if (pem.includes("-----BEGIN CERTIFICATE-----")) return pem;
  throw new SettingProblem(`${what} holds no PEM certificate`, "have it hold -----BEGIN CERTIFICATE-----");
}

/**
 * Returns a certificate and a key if they belong together. They may not while a program replaces one file after the
 * other, and a connection made in that moment would fail.
 */
export function checkPair(what: string, { cert, key }: CertificateAndKey): CertificateAndKey {
  const advice = "use the two that were issued together, as PEM";
  const certificate = valueOrUndefined(() => new X509Certificate(cert));
  if (certificate === undefined) throw new SettingProblem(`the certificate of ${what} is not PEM`, advice);
  const privateKey = valueOrUndefined(() => createPrivateKey(key));
  if (privateKey === undefined)
    throw new SettingProblem(`the key of ${what} is not PEM, or has a password`, advice);
  if (certificate.checkPrivateKey(privateKey)) return { cert, key };
  throw new SettingProblem(`the certificate and the key of ${what} do not belong together`, advice);
}

/** The message of OpenSSL about its decoders does not help, so it is dropped. */
function valueOrUndefined<Value>(make: () => Value): Value | undefined {
  try {
    return make();
  } catch {
    return undefined;
  }
}
