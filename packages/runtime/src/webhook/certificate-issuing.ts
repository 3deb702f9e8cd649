import { type webcrypto as nodeCrypto, webcrypto } from "node:crypto";
import { isIP } from "node:net";
import type { ServingCertificate } from "@keelson/core";
import { plainHost } from "./rotation-plan.ts";

/** When the validity of a certificate starts, and how long it is. */
export interface Life {
  readonly nowMs: number;
  readonly lifeMs: number;
}

const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" } as const;
/** A certificate is valid from this much earlier, at most a tenth of its life, so that a clock that is behind accepts it. */
const backdateMs = 3_600_000;

/** Loaded on demand: it takes longer than the whole webhook server, and certificates from files do not need it. */
async function loadX509(): Promise<typeof import("@peculiar/x509")> {
  await import("reflect-metadata");
  return import("@peculiar/x509");
}

/** A new authority with a key of its own. */
export async function issueAuthority(name: string, life: Life): Promise<ServingCertificate> {
  const x509 = await loadX509();
  const keys = await newKeys();
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    ...datesOf(life),
    // The date makes the name unique, since a verifier may find the signer by its name.
    name: [{ CN: [`${name} ${Math.floor(life.nowMs / 1000)}`] }],
    keys,
    signingAlgorithm: algorithm,
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.digitalSignature, true),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  return { certificate: certificate.toString("pem"), key: await privateKeyPem(keys) };
}

/** A new certificate, with a new key, for a server on these host names and addresses. */
export async function issueLeaf(
  authority: ServingCertificate,
  hosts: readonly string[],
  life: Life,
): Promise<ServingCertificate> {
  const x509 = await loadX509();
  const keys = await newKeys();
  const issuer = new x509.X509Certificate(authority.certificate);
  const { notBefore, notAfter } = datesOf(life);
  const certificate = await x509.X509CertificateGenerator.create({
    notBefore,
    // A certificate must not be valid longer than its signer.
    notAfter: notAfter < issuer.notAfter ? notAfter : issuer.notAfter,
    subject: [{ CN: [(hosts[0] ?? "webhook").slice(0, 64)] }],
    issuer: issuer.subject,
    publicKey: keys.publicKey,
    signingKey: await importKey(authority.key),
    signingAlgorithm: algorithm,
    extensions: [
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
      await x509.AuthorityKeyIdentifierExtension.create(issuer),
      new x509.SubjectAlternativeNameExtension(
        hosts.map(plainHost).map((value) => ({ type: isIP(value) === 0 ? "dns" : "ip", value })),
      ),
    ],
  });
  return { certificate: certificate.toString("pem"), key: await privateKeyPem(keys) };
}

function datesOf({ nowMs, lifeMs }: Life): { readonly notBefore: Date; readonly notAfter: Date } {
  return {
    notBefore: new Date(nowMs - Math.min(backdateMs, lifeMs / 10)),
    notAfter: new Date(nowMs + lifeMs),
  };
}

function newKeys(): Promise<nodeCrypto.CryptoKeyPair> {
  return webcrypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
}

async function privateKeyPem(keys: nodeCrypto.CryptoKeyPair): Promise<string> {
  const x509 = await loadX509();
  return x509.PemConverter.encode(await webcrypto.subtle.exportKey("pkcs8", keys.privateKey), "PRIVATE KEY");
}

async function importKey(pem: string): Promise<nodeCrypto.CryptoKey> {
  const x509 = await loadX509();
  const [bytes] = x509.PemConverter.decode(pem);
  return webcrypto.subtle.importKey("pkcs8", bytes ?? new ArrayBuffer(0), algorithm, false, ["sign"]);
}
