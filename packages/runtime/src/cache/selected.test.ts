import type { KubeObject } from "@keelson/core";
import { describe, expect, it } from "vitest";
import { selectionTest } from "./selected.ts";

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
