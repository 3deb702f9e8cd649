import { X509Certificate } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { CertificateAuthority, createSigningKeys } from "./certificate-authority.ts";
import { loopbackRequest } from "./loopback-request.ts";

it("signs itself as an authority", async () => {
  const { pair } = await CertificateAuthority.create("harbour");
  const certificate = new X509Certificate(pair.certificate);
  expect(certificate.ca).toBe(true);
  expect(certificate.subject).toBe("CN=harbour");
  expect(certificate.verify(certificate.publicKey)).toBe(true);
});

it("signs for the same authority after it was kept and restored", async () => {
  const { pair } = await CertificateAuthority.create("harbour");
  const restored = await CertificateAuthority.restore(pair);
  const { certificate } = await restored.issueClient({ user: "ann" });
  expect(new X509Certificate(certificate).verify(new X509Certificate(pair.certificate).publicKey)).toBe(true);
  await expect(CertificateAuthority.restore({ ...pair, key: "nonsense" })).rejects.toThrow();
});

it.each(["ann", "system:kube-scheduler", "a, b=c", 'quo"te', "ünï"])(
  "issues a client certificate for %s",
  async (user) => {
    const authority = await CertificateAuthority.create("harbour");
    const { certificate } = await authority.issueClient({ user, groups: ["crew", "system:masters"] });
    const read = new X509Certificate(certificate).toLegacyObject();
    expect(read.subject).toEqual({ CN: user, O: ["crew", "system:masters"] });
    expect(read.ext_key_usage).toEqual(["1.3.6.1.5.5.7.3.2"]);
    expect(
      new X509Certificate(certificate).checkIssued(new X509Certificate(authority.pair.certificate)),
    ).toBe(true);
  },
);

it("issues serving certificates that a TLS client accepts for the names given, and from this authority only", async () => {
  const authority = await CertificateAuthority.create("harbour");
  const stranger = await CertificateAuthority.create("harbour");
  const { certificate, key } = await authority.issueServing({
    names: ["localhost"],
    addresses: ["127.0.0.1"],
  });
  const server = createServer({ cert: certificate, key }, (_, response) => response.end("hello"));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const response = await loopbackRequest({ url, tls: { ca: authority.pair.certificate } });
  expect(response).toEqual({ status: 200, body: "hello" });
  await expect(loopbackRequest({ url, tls: { ca: stranger.pair.certificate } })).rejects.toThrow(
    /certificate/,
  );
});

it("makes a new key for every certificate and a new serial number", async () => {
  const authority = await CertificateAuthority.create("harbour");
  const pairs = await Promise.all([
    authority.issueClient({ user: "ann" }),
    authority.issueClient({ user: "ann" }),
  ]);
  const certificates = pairs.map(({ certificate }) => new X509Certificate(certificate));
  expect(new Set(pairs.map(({ key }) => key)).size).toBe(2);
  expect(new Set(certificates.map(({ serialNumber }) => serialNumber)).size).toBe(2);
});

it("makes a pair of keys to sign and to verify with", async () => {
  const { publicKey, privateKey } = await createSigningKeys();
  expect(publicKey).toMatch(/^-----BEGIN PUBLIC KEY-----/);
  expect(privateKey).toMatch(/^-----BEGIN PRIVATE KEY-----/);
});
