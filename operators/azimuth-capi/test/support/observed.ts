import type { ClusterSpec } from "../../src/api/cluster.ts";
import { specOf } from "../../src/api/cluster.ts";
import { clusterLabel, componentLabel } from "../../src/api/names.ts";
import type { HelmRelease, Kustomization, Manifests } from "../../src/neighbours/addons.ts";
import type { CapiCluster, KubeadmControlPlane, Machine } from "../../src/neighbours/cluster-api.ts";
import type { Lease } from "../../src/neighbours/scheduling.ts";

const namespace = "az-tenancy";
const capi = { apiVersion: "cluster.x-k8s.io/v1beta1" };

/** The spec of a Cluster with defaults. */
export function clusterSpec(changes: Partial<ClusterSpec> = {}): ClusterSpec {
  const spec = specOf({
    spec: {
      ...{ label: "Demo", templateName: "kube-1-31", cloudCredentialsSecretName: "demo-cloud-credentials" },
      controlPlaneMachineSize: "vm.small",
    },
  });
  return { ...spec, ...changes };
}

export function lease(phase?: string): Lease {
  return {
    ...{ apiVersion: "scheduling.azimuth.stackhpc.com/v1alpha1", kind: "Lease" },
    metadata: { name: "kube-demo", namespace },
    ...(phase !== undefined && { status: { phase } }),
  };
}

export function capiCluster(phase?: string): CapiCluster {
  return {
    ...{ ...capi, kind: "Cluster" },
    metadata: { name: "demo", namespace, labels: { [clusterLabel]: "demo" } },
    ...(phase !== undefined && { status: { phase } }),
  };
}

export function controlPlane(parts: Pick<KubeadmControlPlane, "spec" | "status"> = {}): KubeadmControlPlane {
  return {
    ...{ apiVersion: "controlplane.cluster.x-k8s.io/v1beta1", kind: "KubeadmControlPlane" },
    metadata: { name: "demo-control-plane", namespace, labels: { [clusterLabel]: "demo" } },
    ...parts,
  };
}

/** A control plane that is ready, and so are its components. */
export const readyControlPlane: KubeadmControlPlane = controlPlane({
  spec: { version: "v1.31.4" },
  status: {
    version: "v1.31.4",
    conditions: [
      { type: "Ready", status: "True" },
      { type: "ControlPlaneComponentsHealthy", status: "True" },
    ],
  },
});

export interface MachineParts {
  readonly name?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly spec?: Machine["spec"];
  readonly status?: Machine["status"];
}

export function machine({ name = "demo-md-0", labels = {}, spec, status }: MachineParts = {}): Machine {
  return {
    ...{ ...capi, kind: "Machine" },
    metadata: {
      ...{ name, namespace, creationTimestamp: "2026-11-18T10:00:00Z" },
      labels: { [clusterLabel]: "demo", ...labels },
    },
    ...(spec !== undefined && { spec }),
    ...(status !== undefined && { status }),
  };
}

/** A worker that is ready. */
export function worker(name: string, version = "v1.31.4"): Machine {
  return machine({
    ...{ name, labels: { [componentLabel]: "worker" }, spec: { version } },
    status: { phase: "Running", conditions: [{ type: "NodeHealthy", status: "True" }] },
  });
}

/** The metadata of an addon; without a component it is not one of the Cluster. */
function addonMeta(name: string, component: string | undefined): HelmRelease["metadata"] {
  return {
    ...{ name, namespace },
    labels: { [clusterLabel]: "demo", ...(component !== undefined && { [componentLabel]: component }) },
  };
}

export function helmRelease(
  name: string,
  component: string | undefined,
  status?: HelmRelease["status"],
): HelmRelease {
  return {
    ...{ apiVersion: "addons.stackhpc.com/v1alpha1", kind: "HelmRelease" },
    metadata: addonMeta(name, component),
    ...(status !== undefined && { status }),
  };
}

export function manifests(name: string, component: string, status?: Manifests["status"]): Manifests {
  return { ...helmRelease(name, component, status), kind: "Manifests" };
}

export function kustomization(
  name: string,
  component: string,
  status?: Kustomization["status"],
): Kustomization {
  return {
    ...{ apiVersion: "kustomize.toolkit.fluxcd.io/v1", kind: "Kustomization" },
    metadata: addonMeta(name, component),
    ...(status !== undefined && { status }),
  };
}
