import "reflect-metadata";
import { KeyObject, webcrypto } from "node:crypto";
import {
  SubjectAlternativeNameExtension,
  type X509Certificate,
  X509CertificateGenerator,
} from "@peculiar/x509";

/** A certificate and its key, in PEM. */
export interface Certificate {
  readonly cert: string;
  readonly key: string;
}

const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };

/** A new certificate that vouches for itself. */
export async function selfSigned(name: string): Promise<Certificate> {
  const keys = await newKeys();
  const certificate = await X509CertificateGenerator.createSelfSigned(
    { name: `CN=${name}`, keys, signingAlgorithm: algorithm },
    webcrypto,
  );
  return pemOf(certificate, keys);
}

/** A new certificate for a host name that an authority has signed, which is forgotten. */
export async function signed(host: string): Promise<Certificate> {
  const [keys, authority] = await Promise.all([newKeys(), newKeys()]);
  const certificate = await X509CertificateGenerator.create(
    {
      subject: `CN=${host}`,
      issuer: "CN=authority",
      publicKey: keys.publicKey,
      signingKey: authority.privateKey,
      signingAlgorithm: algorithm,
      extensions: [new SubjectAlternativeNameExtension([{ type: "dns", value: host }])],
    },
    webcrypto,
  );
  return pemOf(certificate, keys);
}

function newKeys(): Promise<webcrypto.CryptoKeyPair> {
  return webcrypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
}

function pemOf(certificate: X509Certificate, keys: webcrypto.CryptoKeyPair): Certificate {
  const key = KeyObject.from(keys.privateKey).export({ type: "pkcs8", format: "pem" });
  return { cert: `${certificate.toString("pem")}\n`, key: String(key) };
}

export function base64(text: string): string {
  return Buffer.from(text).toString("base64");
}
