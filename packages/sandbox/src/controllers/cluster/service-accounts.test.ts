import { ConfigMap, Namespace, Secret, Service, ServiceAccount } from "@keelson/core/kinds/core/v1";
import { EndpointSlice } from "@keelson/core/kinds/discovery/v1";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type ClusterWorld, clusterWorld, namespaceNamed } from "../../../test/support/cluster-world.ts";
import { createInitialObjects } from "./initial-objects.ts";
import { rootCertificates, startDefaultAccounts, tokenSecrets } from "./service-accounts.ts";

let world: ClusterWorld;
beforeEach(async () => {
  const certificates = "CERT";
  const issueToken = ({
    namespace,
    serviceAccount,
    secretName,
  }: Parameters<Parameters<typeof tokenSecrets>[0]["issueToken"]>[0]) =>
    `token of ${namespace}/${serviceAccount.name} in ${secretName}`;
  world = clusterWorld([
    startDefaultAccounts,
    rootCertificates(certificates),
    tokenSecrets({ certificates, issueToken }),
  ]);
  await world.create(Namespace, namespaceNamed("shop"));
});
afterEach(async () => {
  expect(world.errors).toEqual([]);
  await world.stop();
  expect(world.clock.pendingTimers).toEqual([]);
});

const account = { namespace: "shop", name: "default" };
const certificates = { namespace: "shop", name: "kube-root-ca.crt" };

describe("every namespace", () => {
  it("has the ServiceAccount default, also after it was deleted", async () => {
    const first = world.get(ServiceAccount, account);
    expect(first).toBeDefined();
    await world.remove(ServiceAccount, account);
    const second = world.get(ServiceAccount, account);
    expect(second).toBeDefined();
    expect(second?.metadata.uid).not.toBe(first?.metadata.uid);
  });

  it("has the certificates of the cluster, also after they were changed", async () => {
    expect(world.get(ConfigMap, certificates)?.data).toEqual({ "ca.crt": "CERT" });
    await world.change(ConfigMap, certificates, (map) => ({ ...map, data: { "ca.crt": "other" } }));
    expect(world.get(ConfigMap, certificates)?.data).toEqual({ "ca.crt": "CERT" });
  });
});

describe("a Secret of the ServiceAccount token type", () => {
  const key = { namespace: "shop", name: "token" };
  const secret: Secret = {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { ...key, annotations: { "kubernetes.io/service-account.name": "default" } },
    type: "kubernetes.io/service-account-token",
  };

  it("is filled with it", async () => {
    await world.create(Secret, secret);
    const { data, metadata } = world.get(Secret, key) ?? {};
    const text = (name: string): string => Buffer.from(data?.[name] ?? "", "base64").toString();
    expect([text("ca.crt"), text("namespace"), text("token")]).toEqual([
      "CERT",
      "shop",
      "token of shop/default in token",
    ]);
    const { uid } = world.get(ServiceAccount, account)?.metadata ?? {};
    expect(metadata?.annotations?.["kubernetes.io/service-account.uid"]).toBe(uid);
  });

  it("is deleted with its ServiceAccount", async () => {
    await world.create(Secret, secret);
    await world.remove(ServiceAccount, account);
    expect(world.get(Secret, key)).toBeUndefined();
  });
});

describe("createInitialObjects", () => {
  it("makes the first namespaces and the Service of the API server, once", async () => {
    const address = { ip: "192.0.2.7", port: 6443 };
    await createInitialObjects({ objects: world.objects, address });
    await createInitialObjects({ objects: world.objects, address });
    const names = world.objects.list(Namespace).map(({ metadata }) => metadata.name);
    expect(names).toEqual(["default", "kube-node-lease", "kube-public", "kube-system", "shop"]);
    const service = world.get(Service, { namespace: "default", name: "kubernetes" });
    expect(service?.spec).toMatchObject({
      clusterIP: "10.96.0.1",
      ports: [{ name: "https", port: 443, targetPort: 6443 }],
    });
    const slice = world.get(EndpointSlice, { namespace: "default", name: "kubernetes" });
    expect(slice?.endpoints).toEqual([{ addresses: ["192.0.2.7"], conditions: { ready: true } }]);
  });
});
