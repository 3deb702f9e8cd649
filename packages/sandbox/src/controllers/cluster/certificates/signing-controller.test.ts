import { CertificateSigningRequest } from "@keelson/core/kinds/certificates/v1";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type ClusterWorld, clusterWorld } from "../../../../test/support/cluster-world.ts";
import { startRequestCleaner } from "./signing-controller.ts";

/** O=staff, CN=ann, with a key of P-256. */
const encoded =
  "MIHZMIGAAgEAMB4xDjAMBgNVBAoMBXN0YWZmMQwwCgYDVQQDDANhbm4wWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAAQLshwfuQA61ql5kyc6ZIAgtzCbkYaEgDlI1vowX0VZYZ4017JmZY6ziOPLbnHm1RruxGzm0cxoC2EamQD2cTQLoAAwCgYIKoZIzj0EAwIDSAAwRQIgI8ENWWuXnyE+mPx4A5wZfuemFgMbHUKVw+qPnZsg/04CIQCnlOci6zgbpEdkKurse/IOaO/5eRjlrOJGb+ssYTGdjQ==";
const pem = `-----BEGIN CERTIFICATE REQUEST-----\n${encoded}\n-----END CERTIFICATE REQUEST-----\n`;
const hourMs = 3_600_000;

const request: CertificateSigningRequest = {
  apiVersion: "certificates.k8s.io/v1",
  kind: "CertificateSigningRequest",
  metadata: { name: "ann" },
  spec: {
    request: Buffer.from(pem).toString("base64"),
    signerName: "kubernetes.io/kube-apiserver-client",
    usages: ["client auth"],
  },
};

let world: ClusterWorld;
beforeEach(async () => {
  world = clusterWorld([startRequestCleaner]);
  await world.create(CertificateSigningRequest, request);
});
afterEach(() => world.stop());

const exists = (): boolean => world.get(CertificateSigningRequest, { name: "ann" }) !== undefined;

describe("the cleaner of requests", () => {
  it("deletes a request that waits for a day", async () => {
    await world.clock.advance(23 * hourMs);
    expect(exists()).toBe(true);
    await world.clock.advance(2 * hourMs);
    expect(exists()).toBe(false);
  });

  it("deletes a denied request after an hour", async () => {
    const conditions = [{ type: "Denied", status: "True" }];
    await world.change(
      CertificateSigningRequest,
      { name: "ann" },
      (object) => ({ ...object, status: { conditions } }),
      "approval",
    );
    await world.clock.advance(hourMs / 2);
    expect(exists()).toBe(true);
    await world.clock.advance(hourMs);
    expect(exists()).toBe(false);
  });
});
