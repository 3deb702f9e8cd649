import type { KubeObject } from "@keelson/core";
import { describe, expect, it } from "vitest";
import { selectionTest } from "./selection-test.ts";

const node: KubeObject & { spec: object } = {
  apiVersion: "v1",
  kind: "Node",
  metadata: { name: "n1", namespace: "shop", labels: { app: "web" } },
  spec: { providerID: "x" },
};

describe("whether an object belongs to a selection", () => {
  it.each([
    [{}, true],
    [{ namespace: "shop" }, true],
    [{ namespace: "other" }, false],
    [{ labelSelector: "app=web" }, true],
    [{ labelSelector: { matchLabels: { app: "api" } } }, false],
    [{ fieldSelector: "metadata.name=n1,spec.providerID=x" }, true],
    [{ fieldSelector: "metadata.name!=n1" }, false],
    [{ fieldSelector: "spec.unschedulable=false" }, true],
    [{ fieldSelector: "spec.unschedulable!=false" }, false],
    [{ fieldSelector: "spec.unschedulable=true" }, false],
    [{ fieldSelector: "status.replicas=0" }, true],
  ])("%j: %s", (selection, expected) => {
    expect(selectionTest(selection).isSelected(node)).toBe(expected);
  });

  it("is unknown by a field that is not at the path of its name, unless another test decides", () => {
    const widget = { ...node, apiVersion: "example.com/v1", kind: "Widget" };
    const judge = (fieldSelector: string, object: KubeObject = widget) =>
      selectionTest({ fieldSelector, labelSelector: "app" }).judge(object);
    expect(judge("spec.providerID=x")).toBe(true);
    expect(judge("spec.color=red")).toBeUndefined();
    expect(judge("spec.color!=red")).toBeUndefined();
    expect(judge("spec.color=red,spec.providerID=y")).toBe(false);
    expect(judge("spec.color=red", { ...widget, metadata: {} })).toBe(false);
    const part = { ...widget, apiVersion: "meta.k8s.io/v1", kind: "PartialObjectMetadata", spec: undefined };
    expect(judge("spec.providerID=x", part)).toBeUndefined();
    expect(judge("metadata.name=n1,metadata.namespace!=other", part)).toBe(true);
    const placeless = { ...part, metadata: { name: "n1", labels: { app: "web" } } };
    expect(judge("metadata.namespace!=other", placeless)).toBe(true);
  });

  it.each([
    ["batch/v1", "Job", { status: { succeeded: 1 } }, "status.successful=1", true],
    ["batch/v1", "Job", { status: {} }, "status.successful=0", true],
    ["batch/v1", "Job", { status: {} }, "status.successful=1", false],
    ["v1", "Event", { source: { component: "kubelet" } }, "source=kubelet", true],
    ["v1", "Event", { source: {}, reportingComponent: "me" }, "source=me", true],
    ["v1", "Event", { involvedObject: { kind: "Pod" } }, "involvedObject.kind=Pod,reason=", true],
    ["events.k8s.io/v1", "Event", { regarding: { name: "a" } }, "regarding.name!=a", false],
    ["v1", "Pod", { spec: { nodeName: "n1" } }, "spec.host=n1", true],
    ["v1", "Pod", { spec: {} }, "spec.nodeName=n1", false],
    ["v1", "Node", { spec: {} }, "spec.unschedulable=false", true],
  ])(
    "is decided for %s %s as by its server: %j %s: %s",
    (apiVersion, kind, rest, fieldSelector, expected) => {
      const object = { apiVersion, kind, metadata: { name: "a", namespace: "shop" }, ...rest };
      expect(selectionTest({ fieldSelector }).judge(object)).toBe(expected);
      expect(selectionTest({ fieldSelector }).isSelected(object)).toBe(expected);
    },
  );

  it("is known beforehand of namespaces that it leaves out", () => {
    const rest = selectionTest({ fieldSelector: "metadata.namespace!=shop,metadata.namespace!=other" });
    expect([rest.mayBeSelected("shop"), rest.mayBeSelected("third"), rest.mayBeSelected(undefined)]).toEqual([
      false,
      true,
      true,
    ]);
    expect(selectionTest({ namespace: "shop" }).mayBeSelected("other")).toBe(false);
  });

  it.each([
    [{ namespace: "shop", fieldSelector: "metadata.name=a,metadata.namespace!=b" }, false],
    [{ labelSelector: "a" }, true],
    [{ fieldSelector: "status.phase=Running" }, true],
  ])("may change for %j: %s", (selection, expected) => {
    expect(selectionTest(selection).isChangeable).toBe(expected);
  });
});
