import { generateKeyPairSync, sign, X509Certificate } from "node:crypto";
import { CertificateAuthority } from "@keelson/controlplane";
import { seededRandom } from "@keelson/core";
import * as fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { derTags, objectIdOf, readDer, writeDer, writeInteger, writeObjectId, writeTime } from "./der.ts";
import { type CertificateIssuer, createIssuer } from "./issue-certificate.ts";
import { writePem } from "./pem.ts";
import { parseSigningRequest, SigningRequestError } from "./signing-request.ts";

type KeyType = "ec" | "rsa" | "ed25519";

/** A request for `O=staff, CN=ann` with the name `web.example`, made with a key of this type. */
function requestOf(type: KeyType): { readonly der: Uint8Array; readonly pem: string } {
  const { publicKey, privateKey } =
    type === "ec"
      ? generateKeyPairSync("ec", { namedCurve: "P-256" })
      : type === "rsa"
        ? generateKeyPairSync("rsa", { modulusLength: 2048 })
        : generateKeyPairSync("ed25519");
  const named = (id: string, value: string): Uint8Array =>
    writeDer(derTags.set, writeDer(derTags.sequence, writeObjectId(id), writeDer(0x0c, Buffer.from(value))));
  const names = writeDer(derTags.sequence, writeDer(0x82, Buffer.from("web.example")));
  const extension = writeDer(
    derTags.sequence,
    writeObjectId("2.5.29.17"),
    writeDer(derTags.octetString, names),
  );
  const info = writeDer(
    derTags.sequence,
    writeInteger(Uint8Array.of(0)),
    writeDer(derTags.sequence, named("2.5.4.10", "staff"), named("2.5.4.3", "ann")),
    publicKey.export({ type: "spki", format: "der" }),
    writeDer(
      0xa0,
      writeDer(
        derTags.sequence,
        writeObjectId("1.2.840.113549.1.9.14"),
        writeDer(derTags.set, writeDer(derTags.sequence, extension)),
      ),
    ),
  );
  const [id, hash] = {
    ec: ["1.2.840.10045.4.3.2", "sha256"],
    rsa: ["1.2.840.113549.1.1.11", "sha256"],
    ed25519: ["1.3.101.112", null],
  }[type] as [string, string | null];
  const signature = writeDer(derTags.bitString, Uint8Array.of(0), sign(hash, info, privateKey));
  const der = writeDer(derTags.sequence, info, writeDer(derTags.sequence, writeObjectId(id)), signature);
  return { der, pem: writePem("CERTIFICATE REQUEST", der) };
}

const terms = {
  usages: ["digital signature", "client auth", "server auth"],
  notBefore: Date.parse("2026-01-01T00:00:00Z"),
  notAfter: Date.parse("2026-01-02T00:00:00Z"),
};

let authority: CertificateAuthority;
let issuer: CertificateIssuer;
beforeAll(async () => {
  authority = await CertificateAuthority.create("test");
  issuer = createIssuer(authority.pair, seededRandom(1));
});

describe("a certificate request", () => {
  it.each<KeyType>(["ec", "rsa", "ed25519"])(
    "with a key of type %s is read and its signature verified",
    (type) => {
      const request = parseSigningRequest(requestOf(type).pem);
      expect(request.subject).toEqual({ commonName: "ann", organizations: ["staff"] });
      expect(request.alternativeNames.map(({ content }) => Buffer.from(content).toString())).toEqual([
        "web.example",
      ]);
      expect(request.signatureProblem()).toBeUndefined();
    },
  );

  it("of any bytes is refused with one error", async () => {
    const { der } = requestOf("ec");
    const changed = fc
      .tuple(fc.nat({ max: der.length - 1 }), fc.nat({ max: 255 }))
      .map(([place, byte]) => der.with(place, byte));
    await fc.assert(
      fc.property(fc.oneof(fc.uint8Array({ maxLength: 40 }), changed), (bytes) => {
        try {
          parseSigningRequest(writePem("CERTIFICATE REQUEST", bytes)).signatureProblem();
        } catch (error) {
          expect(error).toBeInstanceOf(SigningRequestError);
        }
      }),
      { numRuns: 500 },
    );
  });
});

describe("an issued certificate", () => {
  it("is signed by the authority for the subject, names and usages of its request", () => {
    const pem = issuer.issue(parseSigningRequest(requestOf("ec").pem), terms);
    const certificate = new X509Certificate(pem);
    const parent = new X509Certificate(authority.pair.certificate);
    expect(certificate.verify(parent.publicKey)).toBe(true);
    expect(certificate.checkIssued(parent)).toBe(true);
    expect(certificate).toMatchObject({
      subject: "O=staff\nCN=ann",
      subjectAltName: "DNS:web.example",
      keyUsage: ["1.3.6.1.5.5.7.3.1", "1.3.6.1.5.5.7.3.2"],
      ca: false,
    });
    expect(certificate.validFromDate.getTime()).toBe(terms.notBefore);
    expect(certificate.validToDate.getTime()).toBe(terms.notAfter);
  });

  it("does not outlive the certificate of the authority", () => {
    const pem = issuer.issue(parseSigningRequest(requestOf("ec").pem), {
      ...terms,
      notAfter: Date.parse("2100-01-01T00:00:00Z"),
    });
    expect(new X509Certificate(pem).validToDate.getTime()).toBe(issuer.notAfter);
  });
});

describe("DER", () => {
  it("round-trips object identifiers", () => {
    const ids = ["2.5.29.17", "1.2.840.113549.1.1.11", "2.16.840.1.113730.4.1", "1.3.6.1.4.1.311.10.3.3"];
    for (const id of ids) expect(objectIdOf(readDer(writeObjectId(id)))).toBe(id);
  });

  it("writes years from 2050 with four digits", () => {
    expect(Buffer.from(readDer(writeTime(Date.parse("2049-12-31T23:59:59Z"))).content).toString()).toBe(
      "491231235959Z",
    );
    expect(Buffer.from(readDer(writeTime(Date.parse("2050-01-01T00:00:00Z"))).content).toString()).toBe(
      "20500101000000Z",
    );
  });
});
