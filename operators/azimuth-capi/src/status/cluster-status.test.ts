import { describe, expect, it } from "vitest";
import {
  capiCluster,
  clusterSpec,
  controlPlane,
  helmRelease,
  lease,
  machine,
  readyControlPlane,
  worker,
} from "../../test/support/observed.ts";
import { clusterKind } from "../api/cluster.ts";
import { componentLabel } from "../api/names.ts";
import { clusterStatusOf, type ObservedCluster, type StatusFacts } from "./cluster-status.ts";

const nothing: ObservedCluster = {
  ...{ lease: undefined, capiCluster: undefined, controlPlane: undefined, machines: [] },
  ...{ helmReleases: [], manifests: [], kustomizations: [] },
  ...{ kubeconfigSecretName: undefined, services: {} },
};

/** A Cluster whose components are all ready. */
const ready: ObservedCluster = {
  ...nothing,
  capiCluster: capiCluster("Provisioned"),
  controlPlane: readyControlPlane,
};
const provisioning: ObservedCluster = { ...nothing, capiCluster: capiCluster("Provisioning") };
const failed: ObservedCluster = { ...nothing, capiCluster: capiCluster("Failed") };

const startText = "2026-11-18T10:00:00Z";
const startMs = Date.parse(startText);
const timeoutMs = 1_800_000;

function facts(changes: Partial<StatusFacts> = {}): StatusFacts {
  return {
    ...{ spec: clusterSpec(), previous: undefined, nowMs: startMs, timeoutMs },
    ...{ isHandled: true, hasJustHandled: false },
    ...changes,
  };
}

/** Phase and time of a Cluster that has been in transition since the start, so much later. */
const later = (observed: ObservedCluster, ms: number, changes: Partial<StatusFacts> = {}) => {
  const previous = { lastUpdated: startText };
  const { phase, lastUpdated } = clusterStatusOf(
    observed,
    facts({ previous, nowMs: startMs + ms, ...changes }),
  );
  return { phase, lastUpdated };
};

describe("the status of a Cluster", () => {
  const full: ObservedCluster = {
    ...ready,
    lease: lease("Active"),
    machines: [
      { machine: worker("demo-md-1"), flavor: "vm.large" },
      {
        machine: machine({
          ...{ name: "demo-control-plane-0", labels: { [componentLabel]: "control-plane" } },
          status: { phase: "Provisioned" },
        }),
        flavor: undefined,
      },
    ],
    helmReleases: [helmRelease("demo-cni", "cni-calico", { phase: "Deployed", revision: 1 })],
    kubeconfigSecretName: "demo-kubeconfig-user",
    services: {
      monitoring: {
        ...{ subdomain: "abc", fqdn: "abc.apps.example.com", label: "Monitoring" },
        iconUrl: null,
      },
      console: {
        ...{ subdomain: "def", fqdn: "def.apps.example.com", label: "Console" },
        ...{ iconUrl: "https://example.com/console.png", description: "A console" },
      },
    },
  };

  it("A.1: has all that was observed, with its counts", () => {
    expect(clusterStatusOf(full, facts({ spec: clusterSpec({ leaseName: "kube-demo" }) }))).toEqual({
      phase: "Reconciling",
      leasePhase: "Active",
      networkingPhase: "Provisioned",
      controlPlanePhase: "Ready",
      kubernetesVersion: "1.31.4",
      kubeconfigSecretName: "demo-kubeconfig-user",
      nodeCount: 2,
      nodes: {
        "demo-control-plane-0": { role: "control-plane", phase: "Provisioning", created: startText },
        "demo-md-1": {
          ...{ role: "worker", phase: "Ready", size: "vm.large" },
          ...{ kubeletVersion: "1.31.4", created: startText },
        },
      },
      addonCount: 1,
      addons: { "cni-calico": { phase: "Deployed", revision: 1 } },
      services: {
        monitoring: { subdomain: "abc", fqdn: "abc.apps.example.com", label: "Monitoring" },
        console: {
          ...{ subdomain: "def", fqdn: "def.apps.example.com", label: "Console" },
          ...{ iconUrl: "https://example.com/console.png", description: "A console" },
        },
      },
      lastUpdated: startText,
    });
  });

  it("A.1: has only a phase and a time if nothing was observed", () => {
    expect(clusterStatusOf(nothing, facts())).toEqual({ phase: "Pending", lastUpdated: startText });
  });

  it("A.1: fits the schema of the kind", () => {
    const { status } = clusterKind({ apiGroup: "azimuth.stackhpc.com", crdCategories: [] }).schemas;
    expect(status?.safeParse(clusterStatusOf(full, facts()))).toMatchObject({ success: true });
  });

  it("L21: has nothing of what was there before and is not any more", () => {
    const before = clusterStatusOf(full, facts());
    expect(clusterStatusOf(nothing, facts({ previous: before }))).toEqual({
      phase: "Pending",
      lastUpdated: startText,
    });
  });

  it("J.5.18: keeps the fields that other programs have written", () => {
    const previous = { note: "checked", nodeCount: 3, kubernetesVersion: "1.29.0" };
    const status = clusterStatusOf(nothing, facts({ previous }));
    expect(status).toEqual({ note: "checked", phase: "Pending", lastUpdated: startText });
  });

  it("C.7: has the phase of a Lease that the Cluster does not need, and is not decided by it", () => {
    expect(clusterStatusOf({ ...ready, lease: lease("Error") }, facts())).toMatchObject({
      phase: "Ready",
      leasePhase: "Error",
    });
  });

  it.each([
    ["no Lease", undefined],
    ["a Lease without a status", lease()],
    ["L11: a Lease with a phase that is not known", lease("Renewing")],
  ])("D.1: is Pending if the Cluster needs a Lease and there is %s", (_, observed) => {
    const status = clusterStatusOf(
      { ...ready, lease: observed },
      facts({ spec: clusterSpec({ leaseName: "kube-demo" }) }),
    );
    expect(status.phase).toBe("Pending");
    expect(status.leasePhase).toBeUndefined();
  });

  it("L11: is Pending if the phase of the network is not known", () => {
    const status = clusterStatusOf({ ...ready, capiCluster: capiCluster("Updating") }, facts());
    expect(status).toMatchObject({ phase: "Pending", controlPlanePhase: "Ready" });
    expect(status.networkingPhase).toBeUndefined();
  });
});

describe("D.5: the time of the last update", () => {
  it.each([
    ["Ready", ready],
    ["Failed", failed],
  ])("is left out while the Cluster is %s", (phase, observed) => {
    expect(later(observed, 0)).toEqual({ phase, lastUpdated: undefined });
    expect(later(observed, 0, { hasJustHandled: true })).toEqual({ phase, lastUpdated: undefined });
  });

  it.each([
    ["Pending", nothing],
    ["Reconciling", provisioning],
    [
      "Upgrading",
      {
        ...ready,
        machines: ["v1.30.2", "v1.31.4"].map((version) => ({
          machine: worker(version, version),
          flavor: undefined,
        })),
      },
    ],
    ["Deleting", { ...nothing, capiCluster: capiCluster("Deleting") }],
    ["Unhealthy", { ...ready, helmReleases: [helmRelease("demo-cni", "cni", { phase: "Failed" })] }],
  ])("is when the Cluster stopped being ready, while it is %s", (phase, observed) => {
    expect(later(observed, 0, { previous: undefined })).toEqual({ phase, lastUpdated: startText });
    expect(later(observed, 60_000)).toEqual({ phase, lastUpdated: startText });
  });

  it.each([null, "", "yesterday"])("is now if the one of before is %o", (lastUpdated) => {
    expect(later(provisioning, 0, { previous: { lastUpdated } }).lastUpdated).toBe(startText);
  });

  it("keeps the text of before, whatever its precision", () => {
    const lastUpdated = "2026-11-18T09:59:59.123456Z";
    expect(later(provisioning, 0, { previous: { lastUpdated } }).lastUpdated).toBe(lastUpdated);
  });

  it("S16: is now when the spec has just been handled, and not while it is tried again", () => {
    expect(later(provisioning, 60_000, { isHandled: false }).lastUpdated).toBe(startText);
    expect(later(provisioning, 60_000, { hasJustHandled: true }).lastUpdated).toBe("2026-11-18T10:01:00Z");
  });
});

describe("D.5: a transition that takes too long", () => {
  const upgrading = controlPlane({
    status: { conditions: [{ type: "Ready", status: "False", reason: "RollingUpdateInProgress" }] },
  });

  it.each([
    ["Pending", nothing],
    ["Reconciling", provisioning],
    ["Upgrading", { ...ready, controlPlane: upgrading }],
  ])("makes a Cluster that is %s unhealthy, and not a moment too early", (phase, observed) => {
    expect(later(observed, timeoutMs)).toEqual({ phase, lastUpdated: startText });
    expect(later(observed, timeoutMs + 1)).toEqual({ phase: "Unhealthy", lastUpdated: startText });
  });

  it("goes on when the phase changes within it", () => {
    const before = clusterStatusOf(nothing, facts());
    const nowMs = startMs + timeoutMs + 1;
    expect(clusterStatusOf(provisioning, facts({ previous: before, nowMs })).phase).toBe("Unhealthy");
  });

  it("does not keep the Cluster from being Deleting", () => {
    const deleting = { ...nothing, capiCluster: capiCluster("Deleting") };
    expect(later(deleting, timeoutMs * 10)).toEqual({ phase: "Deleting", lastUpdated: startText });
  });

  it("ends when all components are ready, or one has failed", () => {
    expect(later(ready, timeoutMs * 2).phase).toBe("Ready");
    expect(later(failed, timeoutMs * 2).phase).toBe("Failed");
  });

  it("begins again when a spec has been handled", () => {
    expect(later(provisioning, timeoutMs * 2, { hasJustHandled: true })).toEqual({
      phase: "Reconciling",
      lastUpdated: "2026-11-18T11:00:00Z",
    });
  });
});

describe("L6: a spec that has not been handled", () => {
  it("is a transition, also if all components are ready", () => {
    expect(later(ready, 60_000, { isHandled: false })).toEqual({
      phase: "Reconciling",
      lastUpdated: startText,
    });
    expect(later(ready, 60_000, { isHandled: false, previous: {} }).lastUpdated).toBe("2026-11-18T10:01:00Z");
  });

  it("makes the Cluster unhealthy if that takes too long, until it is handled", () => {
    expect(later(ready, timeoutMs + 1, { isHandled: false })).toEqual({
      phase: "Unhealthy",
      lastUpdated: startText,
    });
    expect(later(ready, timeoutMs + 1, { hasJustHandled: true })).toEqual({
      phase: "Ready",
      lastUpdated: undefined,
    });
  });

  it("does not hide that the Cluster has failed", () => {
    expect(later(failed, 0, { isHandled: false })).toEqual({ phase: "Failed", lastUpdated: undefined });
  });

  it("is no transition of a paused Cluster, for which nothing is done", () => {
    expect(later(ready, timeoutMs + 1, { isHandled: false, spec: clusterSpec({ paused: true }) })).toEqual({
      phase: "Ready",
      lastUpdated: undefined,
    });
  });
});

it("D.6: goes from Pending to Ready, through an upgrade, and to Deleting", () => {
  const spec = clusterSpec({ leaseName: "kube-demo" });
  const reason = (text: string) =>
    controlPlane({ status: { conditions: [{ type: "Ready", status: "False", reason: text }] } });
  const leased: ObservedCluster = { ...nothing, lease: lease("Active") };
  const network: ObservedCluster = { ...leased, capiCluster: capiCluster("Provisioned") };
  const workers = (...versions: readonly string[]) =>
    versions.map((version, index) => ({ machine: worker(`w${index}`, version), flavor: "vm.small" }));
  const line: readonly [ObservedCluster, string][] = [
    [nothing, "Pending"],
    [{ ...nothing, lease: lease("Starting") }, "Pending"],
    [leased, "Pending"],
    [{ ...leased, capiCluster: capiCluster("Pending") }, "Reconciling"],
    [{ ...leased, capiCluster: capiCluster("Provisioning") }, "Reconciling"],
    [{ ...network, controlPlane: controlPlane() }, "Reconciling"],
    [{ ...network, controlPlane: reason("WaitingForKubeadmInit") }, "Reconciling"],
    [{ ...network, controlPlane: reason("ScalingUp") }, "Reconciling"],
    [{ ...network, controlPlane: readyControlPlane, machines: workers("v1.30.2") }, "Ready"],
    [{ ...network, controlPlane: reason("RollingUpdateInProgress") }, "Upgrading"],
    [{ ...network, controlPlane: readyControlPlane, machines: workers("v1.30.2", "v1.31.4") }, "Upgrading"],
    [{ ...network, controlPlane: readyControlPlane, machines: workers("v1.31.4") }, "Ready"],
    [{ ...network, capiCluster: capiCluster("Deleting") }, "Deleting"],
    [leased, "Pending"],
  ];
  expect(line.map(([observed]) => clusterStatusOf(observed, facts({ spec })).phase)).toEqual(
    line.map(([, phase]) => phase),
  );
});
