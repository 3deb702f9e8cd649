import "reflect-metadata";
import { KeyObject, webcrypto } from "node:crypto";
import { accessFromKubeconfig, createClient, httpTransport } from "@keelson/client";
import { type Kubeconfig, systemClock } from "@keelson/core";
import { SelfSubjectReview } from "@keelson/core/kinds/authentication/v1";
import { CertificateSigningRequest } from "@keelson/core/kinds/certificates/v1";
import { Pkcs10CertificateRequestGenerator } from "@peculiar/x509";
import { expect, it } from "vitest";
import { startSandbox } from "../../src/index.ts";

const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };

it("signs certificates with which a user is authenticated", async () => {
  await using running = await startSandbox();
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
  const name = "O=staff, CN=ann";
  const request = await Pkcs10CertificateRequestGenerator.create(
    { name, keys, signingAlgorithm: algorithm },
    webcrypto,
  );
  await running.client.create(CertificateSigningRequest, {
    metadata: { name: "ann" },
    spec: {
      request: base64(request.toString("pem")),
      signerName: "kubernetes.io/kube-apiserver-client",
      usages: ["client auth"],
    },
  });
  await running.kubectl(["certificate", "approve", "ann"]);
  const certificate = await signed();
  const key = KeyObject.from(keys.privateKey).export({ type: "pkcs8", format: "pem" });
  const user = { "client-certificate-data": certificate, "client-key-data": base64(String(key)) };
  const kubeconfig: Kubeconfig = {
    ...running.kubeconfig,
    users: running.kubeconfig.users.map(({ name }) => ({ name, user })),
  };
  const transport = httpTransport(accessFromKubeconfig(kubeconfig, { clock: systemClock, env: {} }));
  const review = await createClient({ transport }).create(SelfSubjectReview, { metadata: {} });
  await transport.close();
  expect(review.status?.userInfo).toMatchObject({
    username: "ann",
    groups: ["staff", "system:authenticated"],
  });

  async function signed(): Promise<string> {
    for await (const event of running.client.watch(CertificateSigningRequest, {})) {
      if (event.type !== "ADDED" && event.type !== "MODIFIED") continue;
      const { certificate } = event.object.status ?? {};
      if (certificate !== undefined) return certificate;
    }
    throw new Error("the watch ended");
  }
});

function base64(text: string): string {
  return Buffer.from(text).toString("base64");
}
