import { describe, expect, it } from "vitest";
import { makeNode, makeNodeStatus } from "./node-object.ts";
import { resolveNodes } from "./node-settings.ts";

const nowMs = Date.parse("2026-03-01T12:00:00Z");

describe("hollow nodes", () => {
  it("are named by their number, with an address of their own", () => {
    const nodes = resolveNodes(300, "v1.36.2");
    expect([nodes[0]?.name, nodes[299]?.name]).toEqual(["hollow-1", "hollow-300"]);
    expect([nodes[0]?.address, nodes[299]?.address]).toEqual(["172.16.0.1", "172.16.1.44"]);
  });

  it("have the labels, taints and capacity of their options beside the usual", () => {
    const taints = [{ key: "gpu", effect: "NoSchedule" }] as const;
    const [settings] = resolveNodes(
      [{ name: "gpu-1", labels: { zone: "a" }, taints, capacity: { gpu: "4" } }],
      "v1",
    );
    if (settings === undefined) expect.unreachable();
    expect(makeNode(settings, "ours")).toEqual({
      metadata: {
        name: "gpu-1",
        annotations: { "hollow.keelson.dev/program": "ours" },
        labels: {
          "kubernetes.io/arch": "amd64",
          "kubernetes.io/hostname": "gpu-1",
          "kubernetes.io/os": "linux",
          "hollow.keelson.dev/node": "true",
          zone: "a",
        },
      },
      spec: { taints },
    });
    const { capacity, allocatable } = makeNodeStatus(settings, "ready", undefined, nowMs);
    expect(capacity).toEqual({
      cpu: "32",
      memory: "256Gi",
      pods: "500",
      "ephemeral-storage": "1Ti",
      gpu: "4",
    });
    expect(allocatable).toEqual(capacity);
  });

  it("have the time of the last transition and of the last heartbeat in each condition", () => {
    const [settings] = resolveNodes(1, "v1.36.2");
    if (settings === undefined) expect.unreachable();
    const first = makeNodeStatus(settings, "ready", undefined, nowMs);
    const later = makeNodeStatus(settings, "notReady", first, nowMs + 60_000);
    expect(
      later.conditions?.map(({ type, status, lastTransitionTime }) => [type, status, lastTransitionTime]),
    ).toEqual([
      ["MemoryPressure", "False", "2026-03-01T12:00:00Z"],
      ["DiskPressure", "False", "2026-03-01T12:00:00Z"],
      ["PIDPressure", "False", "2026-03-01T12:00:00Z"],
      ["Ready", "False", "2026-03-01T12:01:00Z"],
    ]);
    expect(later.conditions?.[0]?.lastHeartbeatTime).toBe("2026-03-01T12:01:00Z");
  });
});
