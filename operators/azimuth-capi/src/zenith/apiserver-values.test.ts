import type { GenericObject } from "keelson";
import { describe, expect, it } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { type EnabledZenith, enabledZenith, settings } from "../settings.ts";
import { apiServerChartValues, ZenithChartError, zenithValues } from "./apiserver-values.ts";

function zenithWith(changes: object = {}): EnabledZenith {
  const zenith = enabledZenith(
    settings.parse({
      zenith: { registrarAdminUrl: "http://registrar", sshdHost: "sshd.example.com", ...changes },
    }),
  );
  if (zenith === undefined) throw new Error("Zenith is off");
  return zenith;
}

const pod: GenericObject = {
  ...{ kind: "Pod", apiVersion: "v1", metadata: { namespace: "kube-system", name: "zenith-apiserver" } },
  spec: { hostNetwork: true, containers: [{ name: "client", image: "zenith-client:1" }] },
};
const configMap: GenericObject = {
  ...{ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "zenith-apiserver" } },
  data: { "client-apiserver.yaml": "server_port: 22\n", "a.yaml": "a: ü\n" },
};
const input = {
  zenith: zenithWith(),
  fqdn: "abc.apps.example.com",
  rendered: [configMap, pod],
  monitoring: false,
};
const base64 = (text: string): string => Buffer.from(text).toString("base64");

describe("G.2: the chart of Zenith's client for API servers", () => {
  it("is rendered with the key, the server and the defaults", () => {
    const zenith = zenithWith({
      sshdPort: 2222,
      apiserverDefaults: {
        zenithClient: { debug: true, server: { host: "other" } },
        mitmProxy: { port: 8080 },
      },
    });
    expect(apiServerChartValues(zenith, "S0VZ")).toEqual({
      zenithClient: {
        debug: true,
        sshPrivateKeyData: "S0VZ",
        server: { host: "sshd.example.com", port: 2222 },
      },
      mitmProxy: { port: 8080 },
    });
  });
});

describe("G.2: the values of a cluster with Zenith", () => {
  it("have the endpoint, no load balancer, and the client as a static pod", () => {
    expect(zenithValues(input)).toEqual({
      controlPlaneEndpoint: { host: "abc.apps.example.com", port: 443 },
      apiServer: { enableLoadBalancer: false, associateFloatingIP: false },
      controlPlane: {
        kubeadmConfigSpec: {
          useExperimentalRetryJoin: true,
          files: [
            {
              path: "/etc/kubernetes/manifests/zenith-apiserver.yaml",
              content: base64(
                [
                  "apiVersion: v1",
                  "kind: Pod",
                  "metadata:",
                  "  name: zenith-apiserver",
                  "  namespace: kube-system",
                  "spec:",
                  "  containers:",
                  "    - image: zenith-client:1",
                  "      name: client",
                  "  hostNetwork: true",
                  "",
                ].join("\n"),
              ),
              ...{ encoding: "base64", owner: "root:root", permissions: "0600" },
            },
            {
              ...{ path: "/etc/zenith/a.yaml", content: base64("a: ü\n") },
              ...{ encoding: "base64", owner: "root:root", permissions: "0600" },
            },
            {
              ...{ path: "/etc/zenith/client-apiserver.yaml", content: base64("server_port: 22\n") },
              ...{ encoding: "base64", owner: "root:root", permissions: "0600" },
            },
          ],
        },
      },
    });
  });

  it("L19: are the same whatever the order in which the chart renders", () => {
    const turned = {
      ...configMap,
      data: { "a.yaml": "a: ü\n", "client-apiserver.yaml": "server_port: 22\n" },
    };
    expect(zenithValues({ ...input, rendered: [pod, turned] })).toEqual(zenithValues(input));
  });

  it.each([
    ["a Pod", [configMap]],
    ["a ConfigMap with data", [pod]],
    ["a ConfigMap with data", [pod, { ...configMap, data: undefined }]],
  ])("cannot be made without %s", (missing, rendered) => {
    const make = (): unknown => zenithValues({ ...input, rendered });
    expect(make).toThrow(ZenithChartError);
    expect(make).toThrow(`the chart has not rendered ${missing}`);
  });
});

describe("G.2: the client for the monitoring of a cluster", () => {
  const manifestOf = (zenith: EnabledZenith): string => {
    const values = zenithValues({ ...input, zenith, monitoring: true });
    expect(values.addons).toEqual({
      custom: {
        "kube-prometheus-stack-client": {
          kind: "Manifests",
          spec: { namespace: "monitoring-system", manifests: { "zenith-client.yaml": expect.any(String) } },
        },
      },
    });
    return parse(JSON.stringify(values.addons)).custom["kube-prometheus-stack-client"].spec.manifests[
      "zenith-client.yaml"
    ];
  };

  it("is a Reservation and a Client that logs in to Grafana", () => {
    const documents = parseAllDocuments(
      manifestOf(zenithWith({ monitoringIconUrl: "https://example.com/icon.png" })),
    );
    const metadata = {
      name: "kube-prometheus-stack-client",
      labels: { "app.kubernetes.io/managed-by": "azimuth-capi-operator" },
    };
    expect(documents.map((document) => document.toJS())).toEqual([
      {
        apiVersion: "zenith.stackhpc.com/v1alpha1",
        kind: "Reservation",
        metadata: {
          ...metadata,
          annotations: {
            "azimuth.stackhpc.com/service-label": "Monitoring",
            "azimuth.stackhpc.com/service-icon-url": "https://example.com/icon.png",
          },
        },
        spec: { credentialSecretName: "kube-prometheus-stack-client-zenith-credential" },
      },
      {
        apiVersion: "zenith.stackhpc.com/v1alpha1",
        kind: "Client",
        metadata,
        spec: {
          reservationName: "kube-prometheus-stack-client",
          upstream: { serviceName: "kube-prometheus-stack-grafana", port: 80, scheme: "http" },
          mitmProxy: {
            enabled: true,
            authInject: {
              type: "Basic",
              basic: {
                ...{ secretName: "kube-prometheus-stack-grafana", usernameKey: "admin-user" },
                passwordKey: "admin-password",
              },
            },
          },
        },
      },
    ]);
  });

  it("has the version of Zenith's kinds that is configured", () => {
    const documents = parseAllDocuments(manifestOf(zenithWith({ apiVersion: "zenith.example.com/v1" })));
    expect(documents.map((document) => document.get("apiVersion"))).toEqual([
      ...["zenith.example.com/v1", "zenith.example.com/v1"],
    ]);
  });

  it("is left out without monitoring", () => {
    expect(zenithValues(input)).not.toHaveProperty("addons");
  });
});
