import { createPublicKey, type KeyObject, verify } from "node:crypto";
import { KeelsonError } from "@keelson/core";
import { DerError, type DerValue, derTags, objectIdOf, readDer, readParts } from "./der.ts";
import { pemBlocks } from "./pem.ts";

/** A certificate request in the format of PKCS #10. */
export interface SigningRequest {
  readonly subject: { readonly commonName: string; readonly organizations: readonly string[] };
  /** The subject as it is encoded. */
  readonly rawSubject: Uint8Array;
  readonly publicKey: KeyObject;
  /** The public key as it is encoded. */
  readonly rawPublicKey: Uint8Array;
  readonly alternativeNames: readonly AlternativeName[];
  /** Undefined if the signature is valid. */
  signatureProblem(): string | undefined;
}

interface AlternativeName {
  readonly type: AlternativeNameType;
  readonly content: Uint8Array;
}

export type AlternativeNameType = keyof typeof alternativeNameTags;

/** The tags of alternative names, in the order in which Go writes them. */
export const alternativeNameTags = { dns: 0x82, email: 0x81, ip: 0x87, uri: 0x86 } as const;

/** A text that is no certificate request; the message is that of the real server. */
export class SigningRequestError extends KeelsonError {
  static override readonly brand: string = "@keelson/sandbox.SigningRequestError";
  readonly code = "SIGNING_REQUEST";
}

const commonNameId = "2.5.4.3";
const organizationId = "2.5.4.10";
const extensionRequestId = "1.2.840.113549.1.9.14";
const alternativeNamesId = "2.5.29.17";

/** Reads the first PEM block of a text. Throws SigningRequestError if it is no certificate request. */
export function parseSigningRequest(pem: string): SigningRequest {
  const [block] = pemBlocks(pem);
  if (block?.label !== "CERTIFICATE REQUEST") {
    throw new SigningRequestError("PEM block type must be CERTIFICATE REQUEST");
  }
  try {
    return readRequest(readDer(block.bytes));
  } catch (error) {
    if (error instanceof DerError) throw new SigningRequestError(error.message, { cause: error });
    throw error;
  }
}

function readRequest(request: DerValue): SigningRequest {
  const [info, algorithm, signature] = readParts(expected(request, derTags.sequence));
  const [, subject, publicKey, attributes] = readParts(expected(info, derTags.sequence));
  const { raw: rawPublicKey } = expected(publicKey, derTags.sequence);
  const [algorithmId] = readParts(expected(algorithm, derTags.sequence));
  const key = publicKeyOf(rawPublicKey);
  const signedPart: SignedPart = {
    key,
    algorithm: objectIdOf(expected(algorithmId, derTags.objectId)),
    signed: expected(info, derTags.sequence).raw,
    // The first byte counts unused bits.
    signature: expected(signature, derTags.bitString).content.subarray(1),
  };
  return {
    subject: readSubject(expected(subject, derTags.sequence)),
    rawSubject: expected(subject, derTags.sequence).raw,
    publicKey: key,
    rawPublicKey,
    alternativeNames: attributes === undefined ? [] : readAlternativeNames(attributes),
    signatureProblem: () => signatureProblem(signedPart),
  };
}

function expected(value: DerValue | undefined, tag: number): DerValue {
  if (value === undefined) throw new DerError("asn1: syntax error: sequence truncated");
  if (value.tag !== tag) throw new DerError("asn1: structure error: tags don't match");
  return value;
}

function publicKeyOf(der: Uint8Array): KeyObject {
  try {
    return createPublicKey({ key: Buffer.from(der), format: "der", type: "spki" });
  } catch (error) {
    throw new DerError("x509: unknown public key algorithm", { cause: error });
  }
}

/** A subject is a sequence of sets of pairs of a type and a value. */
function readSubject(subject: DerValue): SigningRequest["subject"] {
  let commonName = "";
  const organizations: string[] = [];
  for (const pair of readParts(subject).flatMap(readParts)) {
    const [type, value] = readParts(pair);
    if (type === undefined || value === undefined) continue;
    const text = Buffer.from(value.content).toString();
    const id = objectIdOf(type);
    if (id === commonNameId) commonName = text;
    else if (id === organizationId) organizations.push(text);
  }
  return { commonName, organizations };
}

/** The names of the extension request among the attributes. */
function readAlternativeNames(attributes: DerValue): readonly AlternativeName[] {
  const extensions = readParts(attributes).flatMap((attribute) => {
    const [type, values] = readParts(attribute);
    if (type === undefined || values === undefined || objectIdOf(type) !== extensionRequestId) return [];
    return readParts(values).flatMap(readParts);
  });
  const names = extensions.flatMap((extension) => {
    const parts = readParts(extension);
    const [type] = parts;
    const value = parts.at(-1);
    if (type === undefined || value === undefined || objectIdOf(type) !== alternativeNamesId) return [];
    return readParts(readDer(value.content));
  });
  return alternativeNameTypes.flatMap((type) =>
    names.filter(({ tag }) => tag === alternativeNameTags[type]).map(({ content }) => ({ type, content })),
  );
}

const alternativeNameTypes: readonly AlternativeNameType[] = ["dns", "email", "ip", "uri"];

interface SignedPart {
  readonly key: KeyObject;
  /** The object identifier of the algorithm. */
  readonly algorithm: string;
  readonly signed: Uint8Array;
  readonly signature: Uint8Array;
}

/** Null: the algorithm has no separate hash. */
const hashes: Readonly<Record<string, string | null>> = {
  "1.2.840.10045.4.3.2": "sha256",
  "1.2.840.10045.4.3.3": "sha384",
  "1.2.840.10045.4.3.4": "sha512",
  "1.2.840.113549.1.1.11": "sha256",
  "1.2.840.113549.1.1.12": "sha384",
  "1.2.840.113549.1.1.13": "sha512",
  "1.3.101.112": null,
};

const failures: Readonly<Record<string, string>> = {
  ec: "x509: ECDSA verification failure",
  rsa: "crypto/rsa: verification error",
  ed25519: "x509: Ed25519 verification failure",
};

function signatureProblem({ key, algorithm, signed, signature }: SignedPart): string | undefined {
  const hash = hashes[algorithm];
  const failure = failures[key.asymmetricKeyType ?? ""];
  if (hash === undefined || failure === undefined) return unimplemented;
  try {
    return verify(hash, signed, key, signature) ? undefined : failure;
  } catch {
    // The key and the algorithm do not belong together.
    return unimplemented;
  }
}

const unimplemented = "x509: cannot verify signature: algorithm unimplemented";
