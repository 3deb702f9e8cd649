import "reflect-metadata";
import { KeyObject, webcrypto } from "node:crypto";
import { X509CertificateGenerator } from "@peculiar/x509";

/** A new certificate that vouches for itself, with its key, in PEM. */
export async function selfSigned(name: string): Promise<{ readonly cert: string; readonly key: string }> {
  const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
  const certificate = await X509CertificateGenerator.createSelfSigned(
    { name: `CN=${name}`, keys, signingAlgorithm: algorithm },
    webcrypto,
  );
  const key = KeyObject.from(keys.privateKey).export({ type: "pkcs8", format: "pem" });
  return { cert: `${certificate.toString("pem")}\n`, key: String(key) };
}

export function base64(text: string): string {
  return Buffer.from(text).toString("base64");
}
