import { describe, expect, it } from "vitest";
import type { NodeStatus } from "../api/cluster.ts";
import {
  type AddonPhase,
  type ClusterPhase,
  type LeasePhase,
  type NodePhase,
  networkingPhases,
} from "../api/phases.ts";
import { type ClusterParts, clusterPhaseOf } from "./cluster-phase.ts";

const ready: ClusterParts = {
  leasePhase: undefined,
  networkingPhase: "Provisioned",
  controlPlanePhase: "Ready",
  nodes: [],
  addons: [],
};
const phaseWith = (parts: Partial<ClusterParts>): ClusterPhase => clusterPhaseOf({ ...ready, ...parts });

const node = (
  role: "control-plane" | "worker" | undefined,
  kubeletVersion?: string,
  phase: NodePhase = "Ready",
) => ({
  ...(role !== undefined && { role }),
  ...(kubeletVersion !== undefined && { kubeletVersion }),
  phase,
});
const mixed = (role: "control-plane" | "worker" | undefined): readonly NodeStatus[] => [
  node(role, "1.30.2"),
  node(role, "1.31.0"),
];

describe("D.1: the phase of a Cluster", () => {
  it.each<[number, LeasePhase, ClusterPhase]>([
    [1, "Creating", "Pending"],
    [1, "Pending", "Pending"],
    [1, "Starting", "Pending"],
    [1, "Unknown", "Pending"],
    [2, "Error", "Failed"],
    [3, "Terminating", "Unhealthy"],
    [3, "Terminated", "Unhealthy"],
    [3, "Deleting", "Unhealthy"],
  ])("row %i: with a Lease that is %s is %s, whatever the rest is", (_, leasePhase, phase) => {
    for (const networkingPhase of networkingPhases)
      expect(phaseWith({ leasePhase, networkingPhase })).toBe(phase);
  });

  it.each(["Active", "Updating"] as const)("is decided by the rest with a Lease that is %s", (leasePhase) => {
    expect(phaseWith({ leasePhase })).toBe("Ready");
    expect(phaseWith({ leasePhase, networkingPhase: "Failed" })).toBe("Failed");
  });

  it.each<[number, ClusterParts["networkingPhase"], ClusterPhase]>([
    [4, "Pending", "Reconciling"],
    [4, "Provisioning", "Reconciling"],
    [5, "Deleting", "Deleting"],
    [6, "Failed", "Failed"],
    [7, "Unknown", "Pending"],
  ])("row %i: with a network that is %s is %s, whatever the rest is", (_, networkingPhase, phase) => {
    expect(phaseWith({ networkingPhase })).toBe(phase);
    expect(phaseWith({ networkingPhase, controlPlanePhase: "Failed" })).toBe(phase);
    expect(phaseWith({ networkingPhase, nodes: mixed("worker"), addons: [{ phase: "Failed" }] })).toBe(phase);
  });

  it.each<[number, ClusterParts["controlPlanePhase"], ClusterPhase]>([
    [9, "Pending", "Reconciling"],
    [9, "ScalingUp", "Reconciling"],
    [9, "ScalingDown", "Reconciling"],
    [10, "Upgrading", "Upgrading"],
    [11, "Deleting", "Deleting"],
    [12, "Failed", "Failed"],
    [13, "Unknown", "Pending"],
  ])("row %i: with a control plane that is %s is %s, whatever the rest is", (_, controlPlanePhase, phase) => {
    expect(phaseWith({ controlPlanePhase })).toBe(phase);
    expect(phaseWith({ controlPlanePhase, nodes: mixed("worker"), addons: [{ phase: "Failed" }] })).toBe(
      phase,
    );
    expect(phaseWith({ controlPlanePhase, nodes: [node("worker", "1.31.0", "Failed")] })).toBe(phase);
  });

  it.each(["Pending", "ScalingUp", "ScalingDown"] as const)(
    "row 8: with a control plane that is %s and has nodes of two versions is Upgrading",
    (controlPlanePhase) => {
      expect(phaseWith({ controlPlanePhase, nodes: mixed("control-plane") })).toBe("Upgrading");
      expect(
        phaseWith({ controlPlanePhase, nodes: [node("control-plane", "1.31.0"), node("control-plane")] }),
      ).toBe("Upgrading");
      expect(phaseWith({ controlPlanePhase, nodes: mixed(undefined) })).toBe("Reconciling");
    },
  );

  it.each(["Deleting", "Failed", "Unknown"] as const)(
    "row 8: is not Upgrading for nodes of two versions if the control plane is %s",
    (controlPlanePhase) => {
      const without = phaseWith({ controlPlanePhase });
      expect(phaseWith({ controlPlanePhase, nodes: mixed("control-plane") })).toBe(without);
    },
  );

  it.each(["Ready", "Unhealthy"] as const)(
    "row 14: with workers of two versions is Upgrading if the control plane is %s",
    (controlPlanePhase) => {
      const addons = [{ phase: "Failed" }, { phase: "Installing" }] as const;
      expect(phaseWith({ controlPlanePhase, nodes: mixed("worker"), addons })).toBe("Upgrading");
      expect(phaseWith({ nodes: [node("worker", "1.31.0"), node("worker")] })).toBe("Upgrading");
    },
  );

  it("row 14: is Ready if only a control plane that is ready, or nodes without a role, have two versions", () => {
    expect(phaseWith({ nodes: mixed("control-plane") })).toBe("Ready");
    expect(phaseWith({ nodes: mixed(undefined) })).toBe("Ready");
    expect(phaseWith({ nodes: [node("control-plane", "1.31.0"), node("worker", "1.30.2")] })).toBe("Ready");
    expect(phaseWith({ nodes: [node("worker"), node("worker")] })).toBe("Ready");
  });

  it.each(["Pending", "Provisioning", "Deleting", "Deleted"] as const)(
    "row 15: with a node that is %s is Reconciling, also if the rest is unhealthy",
    (phase) => {
      for (const role of ["control-plane", "worker", undefined] as const)
        expect(phaseWith({ nodes: [node(role, "1.31.0", phase)] })).toBe("Reconciling");
      const nodes = [node("worker", "1.31.0", "Failed"), node("worker", "1.31.0", phase)];
      expect(phaseWith({ nodes, controlPlanePhase: "Unhealthy", addons: [{ phase: "Failed" }] })).toBe(
        "Reconciling",
      );
    },
  );

  it.each<AddonPhase>(["Pending", "Preparing", "Installing", "Upgrading", "Uninstalling"])(
    "row 16: with an addon that is %s is Reconciling, also if the rest is unhealthy",
    (phase) => {
      expect(phaseWith({ addons: [{ phase: "Deployed" }, { phase }] })).toBe("Reconciling");
      const nodes = [node("worker", "1.31.0", "Failed")];
      expect(
        phaseWith({ nodes, controlPlanePhase: "Unhealthy", addons: [{ phase: "Failed" }, { phase }] }),
      ).toBe("Reconciling");
    },
  );

  it.each<[string, Partial<ClusterParts>]>([
    ["an unhealthy control plane", { controlPlanePhase: "Unhealthy" }],
    ["an unhealthy node", { nodes: [node("worker", "1.31.0"), node("worker", "1.31.0", "Unhealthy")] }],
    ["a failed node", { nodes: [node("worker", "1.31.0", "Failed")] }],
    ["an unknown node", { nodes: [{ role: "worker" }] }],
    ["an unhealthy node without a role", { nodes: [{ phase: "Unhealthy" }] }],
    ["a failed addon", { addons: [{ phase: "Deployed" }, { phase: "Failed" }] }],
    ["an unknown addon", { addons: [{}] }],
  ])("row 17: with %s is Unhealthy", (_, parts) => {
    expect(phaseWith(parts)).toBe("Unhealthy");
  });

  it("row 18: is Ready otherwise, also without nodes and addons", () => {
    expect(phaseWith({})).toBe("Ready");
    const nodes = [node("control-plane", "1.31.0"), node("worker", "1.31.0")];
    expect(phaseWith({ leasePhase: "Active", nodes, addons: [{ phase: "Deployed" }] })).toBe("Ready");
  });
});
