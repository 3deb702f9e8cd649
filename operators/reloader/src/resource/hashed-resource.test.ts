import type { Stored } from "keelson";
import type { ConfigMap, Secret } from "keelson/kinds/core/v1";
import { describe, expect, it } from "vitest";
import { keys } from "../../test/support/decision-objects.ts";
import { contentHashes, mountHashes } from "./content-hash.ts";
import { hashConfigMap, hashMount, hashSecret } from "./hashed-resource.ts";
import type { SecretProviderClassPodStatus } from "./secret-provider-class.ts";

const metadata = {
  ...{
    name: "db",
    namespace: "shop",
    uid: "1",
    resourceVersion: "1",
    creationTimestamp: "2026-01-01T00:00:00Z",
  },
  annotations: {
    [keys.ignore]: "true",
    [keys.match]: "true",
    "kubectl.kubernetes.io/last-applied-configuration": "{}",
  },
};
const kept = { annotations: { [keys.ignore]: "true", [keys.match]: "true" } };
const data = { password: "aHVudGVyMg==" };

describe("a hashed resource", () => {
  it("has of a Secret the hashes and the annotations that count, and nothing of its content", () => {
    const secret: Stored<Secret> = { apiVersion: "v1", kind: "Secret", metadata, data, type: "Opaque" };
    expect(hashSecret(secret, keys)).toEqual({ metadata: kept, ...contentHashes("Secret", { data }) });
  });

  it.each(["helm.sh/release.v1", "kubernetes.io/service-account-token"])(
    "has no hashes of a Secret of type %s",
    (type) => {
      const secret: Stored<Secret> = { apiVersion: "v1", kind: "Secret", metadata, data, type };
      expect(hashSecret(secret, keys)).toEqual({ metadata: kept });
    },
  );

  it("has of a ConfigMap the hashes of data and binaryData", () => {
    const content = { data: { a: "1" }, binaryData: { b: "AA==" } };
    const configMap: Stored<ConfigMap> = { apiVersion: "v1", kind: "ConfigMap", metadata, ...content };
    expect(hashConfigMap(configMap, keys)).toEqual({
      metadata: kept,
      ...contentHashes("ConfigMap", content),
    });
  });

  it("does not change with metadata, type or immutability", () => {
    const secret: Stored<Secret> = { apiVersion: "v1", kind: "Secret", metadata, data };
    const other = { ...metadata, labels: { a: "1" }, annotations: {}, resourceVersion: "2" };
    const { hash } = hashSecret(secret, keys);
    expect(hashSecret({ ...secret, metadata: other, type: "x", immutable: true }, keys).hash).toBe(hash);
  });

  it("has of a mount the class and the versions, once something is mounted", () => {
    const objects = [{ id: "db", version: "1" }];
    const mount: Stored<SecretProviderClassPodStatus> = {
      ...{ apiVersion: "secrets-store.csi.x-k8s.io/v1", kind: "SecretProviderClassPodStatus", metadata },
    };
    expect(hashMount(mount)).toEqual({});
    expect(hashMount({ ...mount, status: { secretProviderClassName: "vault" } })).toEqual({});
    const status = {
      secretProviderClassName: "vault",
      podName: "web-1",
      mounted: true,
      targetPath: "/p",
      objects,
    };
    expect(hashMount({ ...mount, status })).toEqual({
      secretProviderClass: "vault",
      ...mountHashes("vault", objects),
    });
  });
});
