import { describe, expect, it } from "vitest";
import { machine } from "../../test/support/observed.ts";
import { componentLabel, nodeGroupLabel } from "../api/names.ts";
import type { Machine } from "../neighbours/cluster-api.ts";
import { nodeStatusOf } from "./node-status.ts";

const phaseOf = (status: NonNullable<Machine["status"]>): string | undefined =>
  nodeStatusOf({ machine: machine({ status }), flavor: undefined }).phase;

const health = (status: string) => [
  { type: "Ready", status: "True" },
  { type: "NodeHealthy", status },
];

describe("D.3: the phase of a node", () => {
  it.each([
    ["Running and healthy", { phase: "Running", conditions: health("True") }, "Ready"],
    ["Running and unhealthy", { phase: "Running", conditions: health("False") }, "Unhealthy"],
    ["Running and of unknown health", { phase: "Running", conditions: health("Unknown") }, "Unhealthy"],
    ["Running without a word of its health", { phase: "Running" }, "Unhealthy"],
    ["Provisioned", { phase: "Provisioned", conditions: health("True") }, "Provisioning"],
    ["Pending", { phase: "Pending" }, "Pending"],
    ["Provisioning", { phase: "Provisioning" }, "Provisioning"],
    ["Deleting", { phase: "Deleting", conditions: health("True") }, "Deleting"],
    ["Deleted", { phase: "Deleted" }, "Deleted"],
    ["Failed", { phase: "Failed" }, "Failed"],
  ])("of a Machine that is %s is as in the table", (_, status, phase) => {
    expect(phaseOf(status)).toBe(phase);
  });

  it.each([[{}], [{ phase: "Unknown" }]])("is left out if it is Unknown: %o", (status) => {
    expect(phaseOf(status)).toBeUndefined();
  });

  it.each(["Updating", "Ready", "Unhealthy", "running", ""])(
    "L11: is Unknown for the phase %o, which no Machine has",
    (phase) => {
      expect(phaseOf({ phase, conditions: health("True") })).toBeUndefined();
    },
  );
});

describe("D.3: a node", () => {
  it("has what the Machine and its flavor say", () => {
    const observed = machine({
      labels: { [componentLabel]: "worker", [nodeGroupLabel]: "md-0" },
      spec: { version: "v1.31.4" },
      status: {
        phase: "Running",
        conditions: health("True"),
        addresses: [
          { type: "Hostname", address: "demo-md-0" },
          { type: "InternalIP", address: "10.0.0.7" },
          { type: "ExternalIP", address: "192.0.2.7" },
          { type: "InternalIP", address: "fd00::7" },
        ],
      },
    });
    expect(nodeStatusOf({ machine: observed, flavor: "vm.small" })).toEqual({
      role: "worker",
      phase: "Ready",
      size: "vm.small",
      ip: "10.0.0.7",
      ips: ["10.0.0.7", "fd00::7"],
      kubeletVersion: "1.31.4",
      nodeGroup: "md-0",
      created: "2026-11-18T10:00:00Z",
    });
  });

  it("A.1: leaves out what has its default", () => {
    const bare = machine({
      labels: { [nodeGroupLabel]: "" },
      spec: { version: "v" },
      status: { addresses: [{}] },
    });
    expect(nodeStatusOf({ machine: bare, flavor: "" })).toEqual({ created: "2026-11-18T10:00:00Z" });
  });

  it.each([
    ["control-plane", "control-plane"],
    ["worker", "worker"],
    ["bastion", undefined],
    [undefined, undefined],
  ])("whose component is %s has the role %s", (component, role) => {
    const labels = component === undefined ? {} : { [componentLabel]: component };
    expect(nodeStatusOf({ machine: machine({ labels }), flavor: undefined }).role).toBe(role);
  });
});
