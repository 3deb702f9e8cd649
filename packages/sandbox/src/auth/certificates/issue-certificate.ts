import { createPrivateKey, type KeyObject, sign, X509Certificate } from "node:crypto";
import { KeelsonError, type Random, type ServingCertificate } from "@keelson/core";
import {
  type DerValue,
  derTags,
  objectIdOf,
  readDer,
  readParts,
  writeDer,
  writeInteger,
  writeObjectId,
  writeTime,
} from "./der.ts";
import { pemBlocks, writePem } from "./pem.ts";
import { alternativeNameTags, type SigningRequest } from "./signing-request.ts";

interface CertificateTerms {
  /** The usages of a CertificateSigningRequest. */
  readonly usages: readonly string[];
  /** Milliseconds since 1970, both. The end is never after that of the authority's certificate. */
  readonly notBefore: number;
  readonly notAfter: number;
}

/** Signs the certificates of approved requests. */
export interface CertificateIssuer {
  /** When the authority's certificate expires, in milliseconds since 1970. */
  readonly notAfter: number;
  /** A certificate for the subject, the key and the names of a request, in PEM. */
  issue(request: SigningRequest, terms: CertificateTerms): string;
}

/** An authority that cannot sign: its key has an unknown type, or its certificate cannot be read. */
class UnusableAuthorityError extends KeelsonError {
  static override readonly brand: string = "@keelson/sandbox.UnusableAuthorityError";
  readonly code = "UNUSABLE_AUTHORITY";
}

/** An issuer with the authority's certificate and key; random numbers become serial numbers. */
export function createIssuer(authority: ServingCertificate, random: Random): CertificateIssuer {
  const { subject, keyId } = issuerParts(authority.certificate);
  const key = createPrivateKey(authority.key);
  const { algorithm, hash } = signatureAlgorithm(key);
  const notAfter = Date.parse(new X509Certificate(authority.certificate).validTo);
  return {
    notAfter,
    issue(request, terms) {
      const { rawSubject, rawPublicKey } = request;
      const body = writeDer(
        derTags.sequence,
        writeDer(0xa0, writeInteger(Uint8Array.of(2))),
        writeInteger(serialNumber(random)),
        algorithm,
        subject,
        writeDer(derTags.sequence, writeTime(terms.notBefore), writeTime(Math.min(terms.notAfter, notAfter))),
        rawSubject,
        rawPublicKey,
        writeDer(0xa3, writeDer(derTags.sequence, ...extensions(request, terms, keyId))),
      );
      const signature = writeDer(derTags.bitString, Uint8Array.of(0), sign(hash, body, key));
      return writePem("CERTIFICATE", writeDer(derTags.sequence, body, algorithm, signature));
    },
  };
}

const subjectKeyId = "2.5.29.14";

/** The subject of the authority's certificate and, if it has one, the identifier of its key. */
function issuerParts(pem: string): { readonly subject: Uint8Array; readonly keyId: Uint8Array | undefined } {
  const [block] = pemBlocks(pem);
  if (block === undefined) throw new UnusableAuthorityError("read the authority: its certificate is not PEM");
  const [body] = readParts(readDer(block.bytes));
  const parts = body === undefined ? [] : readParts(body);
  // Version, serial number, algorithm, issuer, validity, subject.
  const subject = parts[5];
  if (subject === undefined) throw new UnusableAuthorityError("read the authority: it has no subject");
  const found = parts
    .filter(({ tag }) => tag === 0xa3)
    .flatMap(readParts)
    .flatMap(readParts);
  return { subject: subject.raw, keyId: extensionValue(found, subjectKeyId) };
}

function extensionValue(extensions: readonly DerValue[], id: string): Uint8Array | undefined {
  for (const extension of extensions) {
    const parts = readParts(extension);
    const [type] = parts;
    const value = parts.at(-1);
    if (type === undefined || value === undefined || objectIdOf(type) !== id) continue;
    return readDer(value.content).content;
  }
  return undefined;
}

interface SignatureAlgorithm {
  /** As certificates name it. */
  readonly algorithm: Uint8Array;
  /** Null: the algorithm has no separate hash. */
  readonly hash: string | null;
}

function signatureAlgorithm({ asymmetricKeyType }: KeyObject): SignatureAlgorithm {
  switch (asymmetricKeyType) {
    case "ec":
      return { algorithm: named("1.2.840.10045.4.3.2"), hash: "sha256" };
    case "rsa":
      return { algorithm: named("1.2.840.113549.1.1.11", writeDer(derTags.null)), hash: "sha256" };
    case "ed25519":
      return { algorithm: named("1.3.101.112"), hash: null };
    default:
      throw new UnusableAuthorityError(`sign certificates: a key of type ${asymmetricKeyType} cannot sign`);
  }
}

function named(id: string, ...parameters: readonly Uint8Array[]): Uint8Array {
  return writeDer(derTags.sequence, writeObjectId(id), ...parameters);
}

const serialLength = 16;

function serialNumber(random: Random): Uint8Array {
  return Uint8Array.from({ length: serialLength }, () => Math.floor(random.next() * 256));
}

/** In the order of Go: usages, basic constraints, the authority's key and alternative names. */
function extensions(
  { rawSubject, alternativeNames }: SigningRequest,
  { usages }: CertificateTerms,
  keyId: Uint8Array | undefined,
): readonly Uint8Array[] {
  const bits = keyUsageBits(usages);
  const purposes = purposesOf(usages);
  const hasSubject = rawSubject.length > 2;
  const names = alternativeNames.map(({ type, content }) => writeDer(alternativeNameTags[type], content));
  return [
    ...(bits === undefined ? [] : [extension("2.5.29.15", true, bits)]),
    ...(purposes.length === 0
      ? []
      : [
          extension(
            "2.5.29.37",
            false,
            writeDer(derTags.sequence, ...purposes.map((id) => writeObjectId(id))),
          ),
        ]),
    extension("2.5.29.19", true, writeDer(derTags.sequence)),
    ...(keyId === undefined
      ? []
      : [extension("2.5.29.35", false, writeDer(derTags.sequence, writeDer(0x80, keyId)))]),
    ...(names.length === 0
      ? []
      : [extension("2.5.29.17", !hasSubject, writeDer(derTags.sequence, ...names))]),
  ];
}

function extension(id: string, isCritical: boolean, value: Uint8Array): Uint8Array {
  const critical = isCritical ? [writeDer(derTags.boolean, Uint8Array.of(0xff))] : [];
  return writeDer(derTags.sequence, writeObjectId(id), ...critical, writeDer(derTags.octetString, value));
}

/** The numbers of bits in the key usage extension. */
const keyUsages: Readonly<Record<string, number>> = {
  signing: 0,
  "digital signature": 0,
  "content commitment": 1,
  "key encipherment": 2,
  "data encipherment": 3,
  "key agreement": 4,
  "cert sign": 5,
  "crl sign": 6,
  "encipher only": 7,
  "decipher only": 8,
};

function keyUsageBits(usages: readonly string[]): Uint8Array | undefined {
  const bits = usages.flatMap((usage) => keyUsages[usage] ?? []);
  if (bits.length === 0) return undefined;
  const octets = new Uint8Array(bits.includes(8) ? 2 : 1);
  for (const bit of bits) {
    const index = Math.floor(bit / 8);
    octets[index] = (octets[index] ?? 0) | (0x80 >> (bit % 8));
  }
  const unused = 7 - (Math.max(...bits) % 8);
  return writeDer(derTags.bitString, Uint8Array.of(unused), octets);
}

/** Extended key usages, in the order in which they are written. */
const purposeIds: readonly (readonly [id: string, ...usages: readonly string[]])[] = [
  ["2.5.29.37.0", "any"],
  ["1.3.6.1.5.5.7.3.1", "server auth"],
  ["1.3.6.1.5.5.7.3.2", "client auth"],
  ["1.3.6.1.5.5.7.3.3", "code signing"],
  ["1.3.6.1.5.5.7.3.4", "email protection", "s/mime"],
  ["1.3.6.1.5.5.7.3.5", "ipsec end system"],
  ["1.3.6.1.5.5.7.3.6", "ipsec tunnel"],
  ["1.3.6.1.5.5.7.3.7", "ipsec user"],
  ["1.3.6.1.5.5.7.3.8", "timestamping"],
  ["1.3.6.1.5.5.7.3.9", "ocsp signing"],
  ["1.3.6.1.4.1.311.10.3.3", "microsoft sgc"],
  ["2.16.840.1.113730.4.1", "netscape sgc"],
];

function purposesOf(usages: readonly string[]): readonly string[] {
  return purposeIds.flatMap(([id, ...names]) => (names.some((name) => usages.includes(name)) ? [id] : []));
}
