import type { GenericObject } from "@keelson/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { columnsOf } from "./columns.ts";

const now = Date.UTC(2030, 0, 1, 0, 5, 2);
const created = "2030-01-01T00:00:00Z";

function cellsOf(group: string, kind: string, fields: Readonly<Record<string, unknown>>): readonly unknown[] {
  const object: GenericObject = {
    apiVersion: "v1",
    kind,
    metadata: { name: "it", creationTimestamp: created },
    ...fields,
  };
  return columnsOf(group, kind).map((column) => column.cell(object, now));
}

const pod = (status: object, spec: object = {}): readonly unknown[] =>
  cellsOf("", "Pod", { spec: { containers: [{ name: "a" }, { name: "b" }], ...spec }, status });

describe("the columns of pods", () => {
  it("count ready containers and restarts", () => {
    const lastState = { terminated: { exitCode: 1, finishedAt: "2030-01-01T00:04:02Z" } };
    const status = {
      phase: "Running",
      podIPs: [{ ip: "10.0.0.1" }],
      containerStatuses: [
        { name: "a", ready: true, restartCount: 2, lastState, state: { running: {} } },
        { name: "b", ready: false, restartCount: 0, state: { running: {} } },
      ],
    };
    expect(pod(status, { nodeName: "n1" })).toEqual([
      "it",
      "1/2",
      "Running",
      "2 (60s ago)",
      "5m2s",
      "10.0.0.1",
      "n1",
      "<none>",
      "<none>",
    ]);
  });

  it.each([
    ["Pending", { phase: "Pending" }, {}],
    ["Evicted", { phase: "Failed", reason: "Evicted" }, {}],
    [
      "SchedulingGated",
      { phase: "Pending", conditions: [{ type: "PodScheduled", reason: "SchedulingGated" }] },
      {},
    ],
    ["CrashLoopBackOff", { phase: "Running", containerStatuses: [waiting("CrashLoopBackOff")] }, {}],
    ["Completed", { phase: "Succeeded", containerStatuses: [ended(0, "Completed")] }, {}],
    ["Error", { phase: "Failed", containerStatuses: [ended(1, "Error")] }, {}],
    ["ExitCode:3", { phase: "Failed", containerStatuses: [ended(3, "")] }, {}],
    [
      "Init:0/1",
      { phase: "Pending", initContainerStatuses: [running()] },
      { initContainers: [{ name: "a" }] },
    ],
    ["Init:Error", { phase: "Pending", initContainerStatuses: [ended(1, "Error")] }, {}],
    ["Init:ErrImagePull", { phase: "Pending", initContainerStatuses: [waiting("ErrImagePull")] }, {}],
  ])("say %s", (text, status, spec) => {
    expect(pod(status, spec)[2]).toBe(text);
  });

  it("show Terminating for a pod that is being deleted", () => {
    const metadata = { name: "it", creationTimestamp: created, deletionTimestamp: created };
    const status = { phase: "Running", containerStatuses: [running()] };
    expect(cellsOf("", "Pod", { metadata, spec: { containers: [] }, status })[2]).toBe("Terminating");
  });

  it("count sidecars as containers", () => {
    const initContainers = [{ name: "a", restartPolicy: "Always" }];
    const initContainerStatuses = [{ ...running(), ready: true, started: true }];
    expect(pod({ phase: "Running", initContainerStatuses }, { initContainers })[1]).toBe("1/3");
  });
});

function waiting(reason: string): object {
  return { name: "a", ready: false, restartCount: 0, state: { waiting: { reason } } };
}

function ended(exitCode: number, reason: string): object {
  return { name: "a", ready: false, restartCount: 0, state: { terminated: { exitCode, reason } } };
}

function running(): object {
  return { name: "a", ready: false, restartCount: 0, state: { running: {} } };
}

describe("the columns of other kinds", () => {
  it("print what the server prints", () => {
    const template = {
      spec: {
        containers: [
          { name: "c", image: "nginx:1" },
          { name: "d", image: "x" },
        ],
      },
    };
    const selector = { matchLabels: { app: "web" } };
    expect(
      cellsOf("apps", "Deployment", {
        spec: { replicas: 3, template, selector },
        status: { readyReplicas: 2, updatedReplicas: 3, availableReplicas: 1 },
      }),
    ).toEqual(["it", "2/3", 3, 1, "5m2s", "c,d", "nginx:1,x", "app=web"]);
    expect(
      cellsOf("", "Service", {
        spec: {
          type: "LoadBalancer",
          clusterIPs: ["10.96.0.9"],
          ports: [{ port: 80, nodePort: 30080, protocol: "TCP" }],
        },
      }),
    ).toEqual(["it", "LoadBalancer", "10.96.0.9", "<pending>", "80:30080/TCP", "5m2s", "<none>"]);
    expect(
      cellsOf("networking.k8s.io", "Ingress", {
        spec: { tls: [{}], rules: ["a", "b", "c", "d"].map((host) => ({ host })), ingressClassName: "x" },
      }),
    ).toEqual(["it", "x", "a,b,c + 1 more...", "", "80, 443", "5m2s"]);
    expect(
      cellsOf("batch", "Job", { spec: { completions: 1, template }, status: { startTime: created } }),
    ).toEqual(["it", "Running", "0/1", "5m2s", "5m2s", "c,d", "nginx:1,x", "<none>"]);
  });

  it("are name and time of creation where the server has no columns for the kind", () => {
    expect(columnsOf("", "LimitRange").map(({ name, type }) => [name, type])).toEqual([
      ["Name", "string"],
      ["Created At", "date"],
    ]);
    expect(cellsOf("", "LimitRange", {})).toEqual(["it", created]);
  });

  it("never fail on objects that hold nothing", () => {
    const kinds = [
      "/Pod",
      "/Node",
      "/Service",
      "apps/Deployment",
      "batch/CronJob",
      "autoscaling/HorizontalPodAutoscaler",
    ];
    fc.assert(
      fc.property(fc.constantFrom(...kinds), fc.boolean(), (kind, hasParts) => {
        const [group = "", kindName = ""] = kind.split("/");
        expect(cellsOf(group, kindName, hasParts ? { status: {} } : {})[0]).toBe("it");
      }),
    );
  });
});
