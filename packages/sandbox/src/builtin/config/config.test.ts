import { describe, expect, it } from "vitest";
import { tryCreate, tryUpdate } from "../../../test/support/try-strategy.ts";
import { namespaceStrategy } from "../cluster/namespace.ts";
import { convertEvent } from "../events/event.ts";
import { roleBindingStrategy } from "../rbac/rbac-strategies.ts";
import { convertAutoscaler } from "../scaling/autoscaler.ts";
import { selectableFieldsOf } from "../selectable-fields.ts";
import { configMapStrategy } from "./config-map.ts";
import { secretStrategy } from "./secret.ts";

describe("ConfigMaps and Secrets", () => {
  it("stay as they are once they are immutable", () => {
    const { object } = tryCreate(configMapStrategy, { data: { a: "1" }, immutable: true });
    const { problems } = tryUpdate(configMapStrategy, object, (changed) =>
      Object.assign(changed, { data: { a: "2" }, immutable: false }),
    );
    const detail = "field is immutable when `immutable` is set";
    expect(problems).toEqual([`immutable: Forbidden: ${detail}`, `data: Forbidden: ${detail}`]);
  });

  it("hold at most a mebibyte", () => {
    const { problems } = tryCreate(configMapStrategy, { data: { a: "x".repeat(1024 * 1024 + 1) } });
    expect(problems).toEqual(["[]: Too long: may not be more than 1048576 bytes"]);
  });

  it("keep text like the rest", () => {
    const { object } = tryCreate(secretStrategy, { stringData: { a: "b" }, data: { a: "Yw==", d: "ZQ==" } });
    expect(object).toMatchObject({ type: "Opaque", data: { a: "Yg==", d: "ZQ==" } });
    expect(object).not.toHaveProperty("stringData");
  });

  it("need what their type says", () => {
    expect(tryCreate(secretStrategy, { type: "kubernetes.io/tls" }).problems).toEqual([
      "data[tls.crt]: Required value",
      "data[tls.key]: Required value",
    ]);
  });
});

describe("other kinds", () => {
  it("give a namespace its label, its finalizer and its phase", () => {
    const { object } = tryCreate(namespaceStrategy, {});
    expect(object.metadata.labels).toEqual({ "kubernetes.io/metadata.name": "x" });
    expect(object).toMatchObject({ spec: { finalizers: ["kubernetes"] }, status: { phase: "Active" } });
  });

  it("never let a binding point to another role", () => {
    const { object } = tryCreate(roleBindingStrategy, { roleRef: { kind: "Role", name: "a" } });
    const { problems } = tryUpdate(roleBindingStrategy, object, (changed) =>
      Object.assign(changed, { roleRef: { kind: "Role", name: "b" } }),
    );
    expect(problems).toEqual([
      'roleRef: Invalid value: {"APIGroup":"rbac.authorization.k8s.io","Kind":"Role","Name":"b"}: cannot change roleRef',
    ]);
  });

  it("convert the field names of an Event between its two groups", () => {
    const event = { apiVersion: "v1", kind: "Event", metadata: { name: "e" }, message: "m", count: 2 };
    const converted = convertEvent(event);
    expect(converted).toEqual({
      apiVersion: "events.k8s.io/v1",
      kind: "Event",
      metadata: { name: "e" },
      note: "m",
      deprecatedCount: 2,
    });
    expect(convertEvent(converted)).toEqual(event);
  });

  it("keep fields that autoscaling/v1 does not have in annotations", () => {
    const metrics = [
      {
        type: "Resource",
        resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 80 } },
      },
      { type: "Pods", pods: {} },
    ];
    const autoscaler = {
      apiVersion: "autoscaling/v2",
      kind: "HorizontalPodAutoscaler",
      metadata: { name: "h" },
      spec: { maxReplicas: 3, metrics },
      status: { currentMetrics: null, desiredReplicas: 0 },
    };
    const converted = convertAutoscaler(autoscaler);
    expect(converted["spec"]).toEqual({ maxReplicas: 3, targetCPUUtilizationPercentage: 80 });
    expect(convertAutoscaler(converted)).toMatchObject({
      spec: { maxReplicas: 3, metrics: [metrics[1], metrics[0]] },
    });
  });

  it("select nodes, pods and jobs by absent fields", () => {
    const object = { apiVersion: "v1", kind: "Any", metadata: {} };
    expect(selectableFieldsOf("", "Node").read?.(object, "spec.unschedulable")).toBe("false");
    expect(selectableFieldsOf("", "Pod").read?.(object, "spec.hostNetwork")).toBe("false");
    expect(selectableFieldsOf("batch", "Job").read?.(object, "status.successful")).toBe("0");
  });
});
