import fc from "fast-check";
import { deepEqual } from "keelson";
import { describe, expect, it } from "vitest";
import {
  capiCluster,
  clusterSpec,
  controlPlane,
  helmRelease,
  kustomization,
  lease,
  machine,
  manifests,
} from "../../test/support/observed.ts";
import { clusterKind } from "../api/cluster.ts";
import { componentLabel, nodeGroupLabel } from "../api/names.ts";
import { addonPhases, leasePhases, networkingPhases } from "../api/phases.ts";
import { clusterStatusOf, type ObservedCluster, type StatusFacts } from "./cluster-status.ts";

const runs = { numRuns: 500 };

/** A known text more often than any other. */
const textOf = (...known: readonly string[]) =>
  fc.oneof({ weight: 5, arbitrary: fc.constantFrom(...known) }, fc.string());
const few = { maxLength: 3 };
/** Each field may be absent. */
const some: { requiredKeys: [] } = { requiredKeys: [] };
const perhaps = { nil: undefined };

const reason = textOf(
  ...["ScalingUp", "ScalingDown", "WaitingForKubeadmInit", "RollingUpdateInProgress", "Deleting"],
);
const conditions = (...types: readonly string[]) => {
  const fields = {
    type: textOf(...types),
    status: textOf("True", "False"),
    reason,
    observedGeneration: fc.nat(),
  };
  return fc.array(fc.record(fields, some), few);
};
const version = textOf("v1.30.2", "v1.31.4");
const machinePhase = textOf(
  ...["Pending", "Provisioning", "Provisioned", "Running", "Deleting", "Failed", "Updating"],
);
const address = fc.record({ type: textOf("InternalIP"), address: textOf("10.0.0.1") }, some);
const labels = fc.record(
  { [componentLabel]: textOf("worker", "control-plane"), [nodeGroupLabel]: textOf("md-0") },
  some,
);
const machineParts = fc.record({
  ...{ name: fc.constantFrom("a", "b", "c", "d", "e"), labels, spec: fc.record({ version }, some) },
  status: fc.record(
    { phase: machinePhase, conditions: conditions("NodeHealthy"), addresses: fc.array(address, few) },
    some,
  ),
});
const component = fc.constantFrom("cni-calico", "csi-cinder", "ingress");
const addonStatus = fc.record({ phase: textOf(...addonPhases), revision: fc.nat() }, some);
const controlPlaneStatus = fc.record(
  { version, conditions: conditions("Ready", "ControlPlaneComponentsHealthy") },
  some,
);

const observedCluster: fc.Arbitrary<ObservedCluster> = fc.record({
  lease: fc.option(textOf(...leasePhases).map(lease), perhaps),
  capiCluster: fc.option(textOf("Provisioned", "Provisioned", ...networkingPhases).map(capiCluster), perhaps),
  controlPlane: fc.option(
    fc.record({ spec: fc.record({ version }, some), status: controlPlaneStatus }).map(controlPlane),
    perhaps,
  ),
  machines: fc.uniqueArray(
    fc.record({ flavor: fc.option(textOf("vm.small"), perhaps), machine: machineParts.map(machine) }),
    { ...few, selector: (observed) => observed.machine.metadata.name },
  ),
  helmReleases: fc.array(
    fc.tuple(component, addonStatus).map(([name, status]) => helmRelease(name, name, status)),
    few,
  ),
  manifests: fc.array(
    fc.tuple(component, addonStatus).map(([name, status]) => manifests(name, name, status)),
    few,
  ),
  kustomizations: fc.array(
    fc
      .tuple(component, fc.record({ conditions: conditions("Ready") }, some))
      .map(([name, status]) => kustomization(name, name, status)),
    few,
  ),
  kubeconfigSecretName: fc.constantFrom(undefined, "demo-kubeconfig"),
  services: fc.constantFrom(
    {},
    { monitoring: { subdomain: "a", fqdn: "a.example.com", label: "Monitoring" } },
  ),
});

const startMs = Date.parse("2026-11-18T10:00:00Z");

const statusFacts: fc.Arbitrary<StatusFacts> = fc.record({
  spec: fc
    .record({ leaseName: fc.constantFrom(undefined, "kube-demo"), paused: fc.boolean() })
    .map((changes) => clusterSpec(changes)),
  previous: fc.constantFrom(
    ...[undefined, {}, { lastUpdated: null }, { lastUpdated: "2026-11-18T10:00:00Z" }],
    { lastUpdated: "2027-01-01T00:00:00Z" },
  ),
  nowMs: fc.nat({ max: 7_200_000 }).map((ms) => startMs + ms),
  timeoutMs: fc.constantFrom(1, 999, 1_800_000),
  isHandled: fc.boolean(),
  hasJustHandled: fc.boolean(),
});

const { status: schema } = clusterKind({ apiGroup: "azimuth.stackhpc.com", crdCategories: [] }).schemas;

describe("the status of any Cluster, whatever its neighbours say", () => {
  it("A.1: fits the schema of the kind", () => {
    fc.assert(
      fc.property(observedCluster, statusFacts, (observed, facts) => {
        const parsed = schema?.safeParse(clusterStatusOf(observed, facts));
        expect(parsed?.error?.issues ?? []).toEqual([]);
      }),
      runs,
    );
  });

  it("does not change when it is computed again at the same time", () => {
    fc.assert(
      fc.property(observedCluster, statusFacts, (observed, facts) => {
        const first = clusterStatusOf(observed, facts);
        expect(clusterStatusOf(observed, { ...facts, previous: first })).toEqual(first);
      }),
      runs,
    );
  });

  it("does not depend on the order of the caches", () => {
    fc.assert(
      fc.property(observedCluster, statusFacts, (observed, facts) => {
        const turned = {
          ...observed,
          machines: observed.machines.toReversed(),
          helmReleases: observed.helmReleases.toReversed(),
          manifests: observed.manifests.toReversed(),
          kustomizations: observed.kustomizations.toReversed(),
        };
        const statuses = [observed, turned].map((each) => JSON.stringify(clusterStatusOf(each, facts)));
        expect(statuses[1]).toBe(statuses[0]);
      }),
      runs,
    );
  });

  it("D.5: has a time exactly while it is neither ready nor failed", () => {
    fc.assert(
      fc.property(observedCluster, statusFacts, (observed, facts) => {
        const { phase, lastUpdated } = clusterStatusOf(observed, facts);
        expect(lastUpdated === undefined).toBe(phase === "Ready" || phase === "Failed");
      }),
      runs,
    );
  });

  it("D.5: becomes unhealthy in the end unless it is ready, failed or being deleted", () => {
    fc.assert(
      fc.property(observedCluster, statusFacts, (observed, facts) => {
        const waiting = { ...facts, hasJustHandled: false };
        const previous = clusterStatusOf(observed, waiting);
        const nowMs = Date.parse("2027-02-01T00:00:00Z");
        const { phase } = clusterStatusOf(observed, { ...waiting, previous, nowMs });
        expect(["Ready", "Failed", "Deleting", "Unhealthy"]).toContain(phase);
      }),
      runs,
    );
  });

  it("leaves what it was given as it was", () => {
    fc.assert(
      fc.property(observedCluster, statusFacts, (observed, facts) => {
        const copy = structuredClone({ observed, facts });
        clusterStatusOf(observed, facts);
        expect(deepEqual({ observed, facts }, copy)).toBe(true);
      }),
      runs,
    );
  });
});
