import "reflect-metadata";
import { randomBytes, webcrypto } from "node:crypto";
import * as x509 from "@peculiar/x509";

/** A certificate and its private key, in PEM. */
export interface KeyPair {
  readonly certificate: string;
  readonly key: string;
}

/** Who a client certificate speaks for, as Kubernetes reads it: the common name and the organisations. */
export interface Identity {
  readonly user: string;
  readonly groups?: readonly string[];
}

const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" } as const;
const dayMs = 24 * 60 * 60 * 1000;

/** Signs the certificates of one control plane. Its key never leaves the control plane's folder. */
export class CertificateAuthority {
  readonly pair: KeyPair;
  readonly #certificate: x509.X509Certificate;
  readonly #signingKey: webcrypto.CryptoKey;

  private constructor(pair: KeyPair, certificate: x509.X509Certificate, signingKey: webcrypto.CryptoKey) {
    this.pair = pair;
    this.#certificate = certificate;
    this.#signingKey = signingKey;
  }

  static async create(name: string): Promise<CertificateAuthority> {
    const keys = await newKeys();
    const certificate = await x509.X509CertificateGenerator.createSelfSigned({
      ...lifetime(),
      serialNumber: serialNumber(),
      name: distinguishedName(name),
      keys,
      signingAlgorithm: algorithm,
      extensions: [
        new x509.BasicConstraintsExtension(true, undefined, true),
        new x509.KeyUsagesExtension(
          x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.digitalSignature,
          true,
        ),
        await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
      ],
    });
    const pair = { certificate: certificate.toString("pem"), key: await privateKeyPem(keys) };
    return new CertificateAuthority(pair, certificate, keys.privateKey);
  }

  /** The authority whose certificate and key were kept. Throws if they are none. */
  static async restore(pair: KeyPair): Promise<CertificateAuthority> {
    const certificate = new x509.X509Certificate(pair.certificate);
    const [der = new ArrayBuffer(0)] = x509.PemConverter.decode(pair.key);
    const signingKey = await webcrypto.subtle.importKey("pkcs8", der, algorithm, true, ["sign"]);
    return new CertificateAuthority(pair, certificate, signingKey);
  }

  /** A certificate that a server on the given host names and addresses can present. */
  issueServing(hosts: {
    readonly names: readonly string[];
    readonly addresses: readonly string[];
  }): Promise<KeyPair> {
    const names = new x509.SubjectAlternativeNameExtension([
      ...hosts.names.map((value) => ({ type: "dns" as const, value })),
      ...hosts.addresses.map((value) => ({ type: "ip" as const, value })),
    ]);
    return this.#issue(distinguishedName(hosts.names[0] ?? "server"), x509.ExtendedKeyUsage.serverAuth, [
      names,
    ]);
  }

  /** A certificate that authenticates a user to the API server. */
  issueClient(identity: Identity): Promise<KeyPair> {
    const subject = distinguishedName(identity.user, identity.groups);
    return this.#issue(subject, x509.ExtendedKeyUsage.clientAuth, []);
  }

  async #issue(
    subject: x509.JsonName,
    usage: string,
    extensions: readonly x509.Extension[],
  ): Promise<KeyPair> {
    const keys = await newKeys();
    const certificate = await x509.X509CertificateGenerator.create({
      ...lifetime(),
      serialNumber: serialNumber(),
      subject,
      issuer: this.#certificate.subject,
      publicKey: keys.publicKey,
      signingKey: this.#signingKey,
      signingAlgorithm: algorithm,
      extensions: [
        new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
        new x509.ExtendedKeyUsageExtension([usage]),
        await x509.AuthorityKeyIdentifierExtension.create(this.#certificate),
        ...extensions,
      ],
    });
    return { certificate: certificate.toString("pem"), key: await privateKeyPem(keys) };
  }
}

/** The key that signs ServiceAccount tokens: the public half verifies them. */
export async function createSigningKeys(): Promise<{
  readonly publicKey: string;
  readonly privateKey: string;
}> {
  const keys = await newKeys();
  const publicKey = await webcrypto.subtle.exportKey("spki", keys.publicKey);
  return {
    publicKey: x509.PemConverter.encode(publicKey, "PUBLIC KEY"),
    privateKey: await privateKeyPem(keys),
  };
}

function newKeys(): Promise<webcrypto.CryptoKeyPair> {
  return webcrypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
}

async function privateKeyPem(keys: webcrypto.CryptoKeyPair): Promise<string> {
  return x509.PemConverter.encode(await webcrypto.subtle.exportKey("pkcs8", keys.privateKey), "PRIVATE KEY");
}

function serialNumber(): string {
  return `01${randomBytes(15).toString("hex")}`;
}

/** Backdated by a day, so that a clock a little behind still accepts a certificate made now. */
function lifetime(): { readonly notBefore: Date; readonly notAfter: Date } {
  const now = Date.now();
  return { notBefore: new Date(now - dayMs), notAfter: new Date(now + 365 * dayMs) };
}

/** As data, not as text: a user may be called `system:kube-scheduler` or `a, b`. */
function distinguishedName(commonName: string, organisations: readonly string[] = []): x509.JsonName {
  return [...organisations.map((name) => ({ O: [name] })), { CN: [commonName] }];
}
