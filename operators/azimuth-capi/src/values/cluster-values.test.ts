import { describe, expect, it } from "vitest";
import { clusterSpec } from "../../test/support/observed.ts";
import { specOf } from "../api/cluster.ts";
import { settings } from "../settings.ts";
import { type ClusterValuesInput, clusterValues } from "./cluster-values.ts";

const template = { values: { kubernetesVersion: "v1.31.0", machineImageId: "12456789" } };
const group = { autoscale: false, minCount: undefined, maxCount: undefined };
const nodeGroups = [
  { ...group, name: "vms", machineSize: "vm.small", count: 2 },
  { ...group, name: "gpus", machineSize: "bm.gpus", count: 2 },
];
const oidc = {
  ...{ issuerUrl: "https://identity.example.com/realms/x", clientId: "kube-demo" },
  ...{ platformUsersGroup: "/platform-users", rootGroup: "/kube-demo" },
};

/** The values of a Cluster with two groups. */
function valuesWith(changes: Partial<ClusterValuesInput> = {}): Record<string, unknown> {
  const input = {
    ...{ settings: settings.parse({}), template, spec: clusterSpec({ nodeGroups }) },
    ...{ oidc: undefined, sizeNameMap: undefined, zenith: undefined },
    ...changes,
  };
  return { ...clusterValues(input) };
}

const withCapiHelm = (capiHelm: object) => settings.parse({ capiHelm });
const flavorsOf = ({ nodeGroups: groups }: Record<string, unknown>): unknown =>
  Array.isArray(groups) ? groups.map(({ machineFlavor }) => machineFlavor) : groups;

/** All values, at any depth. */
function* valuesIn(value: unknown): Iterable<unknown> {
  yield value;
  if (typeof value === "object" && value !== null)
    for (const each of Object.values(value)) yield* valuesIn(each);
}

describe("I.1: the values of a cluster with monitoring and ingress", () => {
  it("are exactly these, and have no dashboard", () => {
    const spec = specOf({
      spec: {
        ...{ label: "test", templateName: "template1.31", cloudCredentialsSecretName: "secret1" },
        controlPlaneMachineSize: "vm.small",
        nodeGroups: [
          { name: "vms", machineSize: "vm.small", count: 2 },
          { name: "gpus", machineSize: "bm.gpus", count: 2 },
        ],
        addons: {
          monitoring: true,
          dashboard: true,
          ingress: true,
          ingressControllerLoadBalancerIp: "1.2.3.4",
        },
      },
    });
    const claim = { volumeClaimTemplate: { spec: { resources: { requests: { storage: "10Gi" } } } } };
    expect(valuesWith({ spec })).toEqual({
      kubernetesVersion: "v1.31.0",
      machineImageId: "12456789",
      cloudCredentialsSecretName: "secret1",
      controlPlane: { machineFlavor: "vm.small", healthCheck: { enabled: true } },
      nodeGroupDefaults: { healthCheck: { enabled: true } },
      nodeGroups: [
        { name: "vms", machineFlavor: "vm.small", autoscale: false, machineCount: 2 },
        { name: "gpus", machineFlavor: "bm.gpus", autoscale: false, machineCount: 2 },
      ],
      addons: {
        ingress: {
          enabled: true,
          nginx: { release: { values: { controller: { service: { loadBalancerIP: "1.2.3.4" } } } } },
          traefik: { release: { values: { service: { spec: { loadBalancerIP: "1.2.3.4" } } } } },
        },
        monitoring: {
          enabled: true,
          kubePrometheusStack: {
            release: {
              values: {
                alertmanager: { alertmanagerSpec: { storage: claim } },
                prometheus: { prometheusSpec: { storageSpec: claim } },
              },
            },
          },
          lokiStack: { release: { values: { loki: { persistence: { size: "10Gi" } } } } },
        },
      },
    });
  });
});

describe("I.2: the values of a cluster with defaults and overrides", () => {
  it("have the defaults, and the overrides for the groups whose flavor matches", () => {
    const overrides = {
      kubeadmConfigSpec: {
        joinConfiguration: {
          nodeRegistration: {
            kubeletExtraArgs: { "cpu-manager-policy": "static" },
            taints: [{ effect: "NoSchedule", key: "feature.node.kubernetes.io/gpu-dedicated" }],
          },
        },
      },
    };
    const chosen = withCapiHelm({
      defaultValues: { extra_things: { enabled: true } },
      flavorSpecificNodeGroupOverrides: { "bm.*": overrides },
    });
    expect(valuesWith({ settings: chosen })).toEqual({
      extra_things: { enabled: true },
      kubernetesVersion: "v1.31.0",
      machineImageId: "12456789",
      cloudCredentialsSecretName: "demo-cloud-credentials",
      controlPlane: { machineFlavor: "vm.small", healthCheck: { enabled: true } },
      nodeGroupDefaults: { healthCheck: { enabled: true } },
      nodeGroups: [
        { name: "vms", machineFlavor: "vm.small", autoscale: false, machineCount: 2 },
        { name: "gpus", machineFlavor: "bm.gpus", autoscale: false, machineCount: 2, ...overrides },
      ],
      addons: { ingress: { enabled: false }, monitoring: { enabled: false } },
    });
  });
});

describe("F.2: the values of a cluster", () => {
  it("are those of the settings, the template and the spec, the last ones winning", () => {
    const values = valuesWith({
      settings: withCapiHelm({
        defaultValues: {
          ...{ kubernetesVersion: "0", machineImageId: "0", cloudCredentialsSecretName: "0" },
          controlPlane: { machineFlavor: "0", machineCount: 3 },
          nodeGroups: [{ name: "of-settings", machineFlavor: "vm.tiny" }],
        },
      }),
      template: {
        values: {
          ...template.values,
          controlPlane: { machineFlavor: "1", healthCheck: { enabled: false, maxUnhealthy: "10%" } },
          nodeGroups: [{ name: "of-template", machineFlavor: "vm.tiny" }],
          ...{ unknown: { kept: [null, 1] }, etcd: null },
        },
      },
      spec: clusterSpec({ nodeGroups: nodeGroups.slice(0, 1) }),
    });
    expect(values).toMatchObject({
      ...{ kubernetesVersion: "v1.31.0", machineImageId: "12456789" },
      cloudCredentialsSecretName: "demo-cloud-credentials",
      controlPlane: {
        ...{ machineFlavor: "vm.small", machineCount: 3 },
        healthCheck: { enabled: true, maxUnhealthy: "10%" },
      },
      nodeGroups: [{ name: "of-settings" }, { name: "of-template" }, { name: "vms" }],
      ...{ unknown: { kept: [null, 1] }, etcd: null },
    });
  });

  it("have all overrides that match, in their order, also for groups of the template", () => {
    const chosen = withCapiHelm({
      flavorSpecificNodeGroupOverrides: {
        "*": { labels: ["any"], size: 1 },
        "bm.*": { labels: ["metal"], size: 2 },
        "vm.?": { labels: ["never"] },
      },
    });
    const values = {
      ...template.values,
      nodeGroups: [{ name: "metal", machineFlavor: "bm.0" }, { name: "none" }, "odd"],
    };
    expect(valuesWith({ settings: chosen, template: { values } }).nodeGroups).toMatchObject([
      { name: "metal", labels: ["any", "metal"], size: 2 },
      { name: "none" },
      "odd",
      { name: "vms", labels: ["any"], size: 1 },
      { name: "gpus", labels: ["any", "metal"], size: 2 },
    ]);
  });

  it("have the flavors of the Lease, of which overrides do not depend", () => {
    const chosen = withCapiHelm({ flavorSpecificNodeGroupOverrides: { "bm.*": { isMetal: true } } });
    const sizeNameMap = { "vm.small": "bm.blazar-1", "bm.gpus": "blazar-2" };
    const values = valuesWith({ settings: chosen, sizeNameMap });
    expect(values.controlPlane).toMatchObject({ machineFlavor: "bm.blazar-1" });
    expect(values.nodeGroups).toEqual([
      { name: "vms", machineFlavor: "bm.blazar-1", autoscale: false, machineCount: 2 },
      { name: "gpus", machineFlavor: "blazar-2", autoscale: false, machineCount: 2, isMetal: true },
    ]);
  });

  it("keep flavors that the Lease does not know", () => {
    expect(flavorsOf(valuesWith({ sizeNameMap: {} }))).toEqual(["vm.small", "bm.gpus"]);
    const odd = clusterSpec({ controlPlaneMachineSize: "constructor" });
    expect(valuesWith({ sizeNameMap: {}, spec: odd }).controlPlane).toMatchObject({
      machineFlavor: "constructor",
    });
  });

  it("have those of Zenith at last, whose files come after those of the template", () => {
    const file = (path: string) => ({ kubeadmConfigSpec: { files: [{ path }] } });
    const values = valuesWith({
      template: {
        values: { ...template.values, controlPlane: file("/a"), apiServer: { enableLoadBalancer: true } },
      },
      zenith: { controlPlane: file("/b"), apiServer: { enableLoadBalancer: false } },
    });
    expect(values).toMatchObject({
      controlPlane: { kubeadmConfigSpec: { files: [{ path: "/a" }, { path: "/b" }] } },
      apiServer: { enableLoadBalancer: false },
    });
  });
});

describe("F.3: the values of the spec", () => {
  it.each([true, false])("switch health checks by autohealing: %s", (autohealing) => {
    expect(valuesWith({ spec: clusterSpec({ autohealing }) })).toMatchObject({
      controlPlane: { healthCheck: { enabled: autohealing } },
      nodeGroupDefaults: { healthCheck: { enabled: autohealing } },
    });
  });

  it("have the bounds of an autoscaled group, and not its count", () => {
    const scaled = {
      name: "auto",
      machineSize: "vm.small",
      autoscale: true,
      count: 5,
      minCount: 1,
      maxCount: 9,
    };
    expect(valuesWith({ spec: clusterSpec({ nodeGroups: [scaled] }) }).nodeGroups).toEqual([
      { name: "auto", machineFlavor: "vm.small", autoscale: true, machineCountMin: 1, machineCountMax: 9 },
    ]);
  });

  it("keep a count of 0", () => {
    const none = { ...group, name: "none", machineSize: "vm.small", count: 0 };
    expect(valuesWith({ spec: clusterSpec({ nodeGroups: [none] }) }).nodeGroups).toMatchObject([
      { machineCount: 0 },
    ]);
  });

  it("L7: have an empty list without node groups, also with a Lease and overrides", () => {
    const spec = clusterSpec({ nodeGroups: [] });
    const chosen = withCapiHelm({ flavorSpecificNodeGroupOverrides: { "*": { a: 1 } } });
    expect(valuesWith({ spec }).nodeGroups).toEqual([]);
    expect(valuesWith({ spec, settings: chosen, sizeNameMap: { "vm.small": "x" } }).nodeGroups).toEqual([]);
  });

  it("have the address of the ingress also if the ingress is off", () => {
    const addons = { ...clusterSpec().addons, ingressControllerLoadBalancerIp: "192.0.2.1" };
    expect(valuesWith({ spec: clusterSpec({ addons }) }).addons).toMatchObject({
      ingress: {
        enabled: false,
        nginx: { release: { values: { controller: { service: { loadBalancerIP: "192.0.2.1" } } } } },
      },
    });
  });

  it("have the sizes of all volumes of the monitoring", () => {
    const sizes = {
      ...{
        monitoringAlertmanagerVolumeSize: 1,
        monitoringPrometheusVolumeSize: 2,
        monitoringLokiVolumeSize: 3,
      },
    };
    const addons = { ...clusterSpec().addons, monitoring: true, ...sizes };
    const text = JSON.stringify(valuesWith({ spec: clusterSpec({ addons }) }).addons);
    expect(text.match(/"(alertmanagerSpec|prometheusSpec|loki)":|\d+Gi/g)).toEqual([
      ...['"alertmanagerSpec":', "1Gi", '"prometheusSpec":', "2Gi", '"loki":', "3Gi"],
    ]);
  });

  it("have the login by OIDC only if there is one", () => {
    expect(valuesWith()).not.toHaveProperty("oidc");
    expect(valuesWith({ oidc }).oidc).toEqual({
      ...{ issuerUrl: "https://identity.example.com/realms/x", clientId: "kube-demo" },
      usernameClaim: "preferred_username",
    });
  });

  it("have the roles of users if there is a login and roles are configured", () => {
    const chosen = settings.parse({ identity: { defaultUserClusterRole: {} } });
    expect(valuesWith({ oidc }).addons).not.toHaveProperty("custom");
    expect(valuesWith({ settings: chosen }).addons).not.toHaveProperty("custom");
    expect(valuesWith({ settings: chosen, oidc }).addons).toMatchObject({
      custom: {
        "oidc-default-rbac": {
          kind: "Manifests",
          spec: {
            namespace: "oidc-system",
            manifests: {
              "oidc-default-cluster-role.yaml": expect.stringContaining("oidc:default-users-cluster"),
            },
          },
        },
      },
    });
  });

  it("L19: are the same again, have no nulls and are JSON", () => {
    const chosen = settings.parse({
      identity: { defaultUserClusterRole: { rules: [{ verbs: ["get"], resources: ["pods"] }] } },
    });
    const addons = { ...clusterSpec().addons, ingress: true, monitoring: true };
    const input = { settings: chosen, oidc, spec: clusterSpec({ nodeGroups, addons }), sizeNameMap: {} };
    const values = valuesWith(input);
    expect(JSON.stringify(valuesWith(structuredClone(input)))).toBe(JSON.stringify(values));
    expect(JSON.parse(JSON.stringify(values))).toStrictEqual(values);
    for (const value of valuesIn(values)) expect(value ?? "nothing").not.toBe("nothing");
  });
});
