import type { PodSpec } from "keelson/kinds/core/v1";
import { describe, expect, it } from "vitest";
import { podOf } from "../../test/support/decision-objects.ts";
import { referencesOf } from "./references.ts";

const mount = (name: string) => ({ volumeMounts: [{ name, mountPath: "/etc/app" }] });
const second = { name: "sidecar", image: "app" };
const csi = {
  name: "v",
  csi: { driver: "secrets-store.csi.k8s.io", volumeAttributes: { secretProviderClass: "vault" } },
};

describe("the references of a pod template", () => {
  it.each<[string, PodSpec, string, number | undefined, string[]]>([
    [
      "env.valueFrom.secretKeyRef",
      podOf({ env: [{ name: "A", valueFrom: { secretKeyRef: { name: "db", key: "a" } } }] }),
      "Secret/db",
      0,
      ["app"],
    ],
    [
      "env.valueFrom.configMapKeyRef",
      podOf({ env: [{ name: "A", valueFrom: { configMapKeyRef: { name: "db", key: "a" } } }] }),
      "ConfigMap/db",
      0,
      ["app"],
    ],
    ["envFrom.secretRef", podOf({ envFrom: [{ secretRef: { name: "db" } }] }), "Secret/db", 0, ["app"]],
    [
      "envFrom.configMapRef",
      podOf({ envFrom: [{ configMapRef: { name: "db" } }] }),
      "ConfigMap/db",
      0,
      ["app"],
    ],
    [
      "a mounted Secret volume",
      podOf(mount("v"), { volumes: [{ name: "v", secret: { secretName: "db" } }] }),
      "Secret/db",
      0,
      ["app"],
    ],
    [
      "a mounted ConfigMap volume",
      podOf(mount("v"), { volumes: [{ name: "v", configMap: { name: "db" } }] }),
      "ConfigMap/db",
      0,
      ["app"],
    ],
    [
      "a projected Secret",
      podOf(mount("v"), { volumes: [{ name: "v", projected: { sources: [{ secret: { name: "db" } }] } }] }),
      "Secret/db",
      0,
      ["app"],
    ],
    [
      "a projected ConfigMap among other sources",
      podOf(mount("v"), {
        volumes: [
          {
            name: "v",
            projected: { sources: [{ serviceAccountToken: { path: "t" } }, { configMap: { name: "db" } }] },
          },
        ],
      }),
      "ConfigMap/db",
      0,
      ["app"],
    ],
    ["a CSI volume", podOf(mount("v"), { volumes: [csi] }), "SecretProviderClass/vault", 0, ["app"]],
    [
      "a volume that only the second container mounts",
      { containers: [...podOf().containers, { ...second, ...mount("v") }], volumes: [csi] },
      "SecretProviderClass/vault",
      1,
      ["sidecar"],
    ],
    [
      "a volume that only an init container mounts, for the first container",
      podOf({}, { initContainers: [{ ...second, ...mount("v") }], volumes: [csi] }),
      "SecretProviderClass/vault",
      0,
      ["sidecar"],
    ],
    [
      "envFrom of an init container, for the first container",
      podOf({}, { initContainers: [{ ...second, envFrom: [{ secretRef: { name: "db" } }] }] }),
      "Secret/db",
      0,
      ["sidecar"],
    ],
    [
      "valueFrom of an init container, for the first container",
      podOf(
        {},
        {
          initContainers: [
            { ...second, env: [{ name: "A", valueFrom: { configMapKeyRef: { name: "db", key: "a" } } }] },
          ],
        },
      ),
      "ConfigMap/db",
      0,
      ["sidecar"],
    ],
    [
      "the container that mounts it before the one that has it in its environment",
      {
        containers: [
          { ...second, name: "env", envFrom: [{ secretRef: { name: "db" } }] },
          { ...second, ...mount("v") },
        ],
        volumes: [{ name: "v", secret: { secretName: "db" } }],
      },
      "Secret/db",
      1,
      ["sidecar", "env"],
    ],
    [
      "the mounted one of two volumes",
      podOf(mount("v2"), {
        volumes: [
          { name: "v1", secret: { secretName: "db" } },
          { name: "v2", secret: { secretName: "db" } },
        ],
      }),
      "Secret/db",
      0,
      ["app"],
    ],
  ])("include %s", (_, pod, name, containerIndex, containers) => {
    const references = referencesOf({ spec: pod });
    const [kind, resource = ""] = name.split("/");
    expect(references.names).toEqual([name]);
    expect(
      references.useOf(kind === "Secret" || kind === "ConfigMap" ? kind : "SecretProviderClass", resource),
    ).toEqual({
      containers,
      containerIndex,
    });
  });

  it.each<[string, PodSpec]>([
    [
      "a volume that no container mounts",
      podOf({}, { volumes: [{ name: "v", secret: { secretName: "db" } }] }),
    ],
    ["a CSI volume that no container mounts", podOf({}, { volumes: [csi] })],
    ["imagePullSecrets", podOf({}, { imagePullSecrets: [{ name: "db" }] })],
    ["the service account", podOf({}, { serviceAccountName: "db" })],
    [
      "fields of the pod",
      podOf({ env: [{ name: "A", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } }] }),
    ],
    ["a reference without a name", podOf({ envFrom: [{ secretRef: {} }] })],
  ])("leave out %s", (_, pod) => {
    expect(referencesOf({ spec: pod }).names).toEqual([]);
  });

  it("distinguish a Secret from a ConfigMap of the same name", () => {
    const references = referencesOf({ spec: podOf({ envFrom: [{ secretRef: { name: "db" } }] }) });
    expect(references.useOf("Secret", "db")).toBeDefined();
    expect(references.useOf("ConfigMap", "db")).toBeUndefined();
    expect(references.useOf("SecretProviderClass", "db")).toBeUndefined();
  });

  it("are none without a template", () => {
    expect(referencesOf(undefined).names).toEqual([]);
  });
});
