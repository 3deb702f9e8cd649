import { describe, expect, it } from "vitest";
import { controlPlane } from "../../test/support/observed.ts";
import type { CapiCondition } from "../neighbours/cluster-api.ts";
import { controlPlaneStatusOf } from "./control-plane-status.ts";

const healthy = { type: "ControlPlaneComponentsHealthy", status: "True" };
const ready = { type: "Ready", status: "True" };
const notReady = (reason?: string): CapiCondition => ({
  ...{ type: "Ready", status: "False" },
  ...(reason !== undefined && { reason }),
});

describe("D.2: the phase of a control plane", () => {
  it.each<[string, readonly CapiCondition[], string]>([
    ["without conditions", [], "Pending"],
    ["whose components are healthy, and no more is known", [healthy], "Pending"],
    ["that is ready with healthy components", [ready, healthy], "Ready"],
    ["that is ready with unhealthy components", [ready, { ...healthy, status: "False" }], "Unhealthy"],
    [
      "that is ready with components of unknown health",
      [ready, { ...healthy, status: "Unknown" }],
      "Unhealthy",
    ],
    ["that is ready without a word of its components", [ready], "Unhealthy"],
    ["that scales up", [notReady("ScalingUp"), healthy], "ScalingUp"],
    ["that waits for its first machine", [notReady("WaitingForKubeadmInit")], "ScalingUp"],
    ["that waits for its certificates", [notReady("WaitingForCertificates")], "ScalingUp"],
    ["that scales down", [notReady("ScalingDown"), healthy], "ScalingDown"],
    ["that is upgraded", [notReady("RollingUpdateInProgress"), healthy], "Upgrading"],
    ["that is being deleted", [notReady("Deleting")], "Deleting"],
    ["with another reason", [notReady("EtcdClusterUnhealthy"), healthy], "Unhealthy"],
    ["whose reason only contains a known one", [notReady("NotScalingUp"), healthy], "Unhealthy"],
    ["whose readiness is unknown", [{ ...notReady("ScalingUp"), status: "Unknown" }], "ScalingUp"],
  ])("of one %s is as in the table", (_, conditions, phase) => {
    expect(controlPlaneStatusOf(controlPlane({ status: { conditions } })).phase).toBe(phase);
  });

  it("L11: is Unhealthy if it is not ready and gives no reason", () => {
    expect(controlPlaneStatusOf(controlPlane({ status: { conditions: [notReady()] } })).phase).toBe(
      "Unhealthy",
    );
    expect(controlPlaneStatusOf(controlPlane({ status: { conditions: [{ type: "Ready" }] } })).phase).toBe(
      "Unhealthy",
    );
    expect(
      controlPlaneStatusOf(controlPlane({ status: { conditions: [notReady("constructor")] } })).phase,
    ).toBe("Unhealthy");
  });

  it("is Pending without a status", () => {
    expect(controlPlaneStatusOf(controlPlane()).phase).toBe("Pending");
  });

  it("is Unknown without a control plane, and so is the version", () => {
    expect(controlPlaneStatusOf(undefined)).toEqual({ phase: "Unknown", kubernetesVersion: undefined });
  });

  it("L22: comes from the conditions of v1beta1, wherever the version of Cluster API keeps them", () => {
    const available = { type: "Available", status: "True", reason: "Available" };
    const status = {
      conditions: [available, healthy],
      deprecated: { v1beta1: { conditions: [notReady("RollingUpdateInProgress"), healthy] } },
    };
    expect(controlPlaneStatusOf(controlPlane({ status })).phase).toBe("Upgrading");
  });
});

describe("the Kubernetes version", () => {
  it.each([
    ["is the one that runs", "v1.30.2", "v1.31.0", "1.30.2"],
    ["is the one to come while none runs", undefined, "v1.31.0", "1.31.0"],
    ["may be written without v", "1.31.0", undefined, "1.31.0"],
    ["is not known", undefined, undefined, undefined],
    ["is not known if it is empty", "", undefined, undefined],
  ])("%s", (_, running, desired, version) => {
    const object = controlPlane({
      spec: { ...(desired !== undefined && { version: desired }) },
      status: { ...(running !== undefined && { version: running }) },
    });
    expect(controlPlaneStatusOf(object).kubernetesVersion).toBe(version);
  });
});
