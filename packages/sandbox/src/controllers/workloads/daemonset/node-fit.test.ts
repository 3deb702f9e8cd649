import type { Node, NodeSelectorTerm, PodSpec, Taint } from "@keelson/core/kinds/core/v1";
import { describe, expect, it } from "vitest";
import { fitOf } from "./node-fit.ts";

function node(taints: readonly Taint[] = []): Node {
  return {
    apiVersion: "v1",
    kind: "Node",
    metadata: { name: "n1", labels: { disk: "ssd", cpus: "8" } },
    spec: { taints },
  };
}

function withTerm(term: NodeSelectorTerm): PodSpec {
  const required = { nodeSelectorTerms: [term] };
  return {
    containers: [],
    affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: required } },
  };
}

describe("whether a pod belongs on a node", () => {
  it.each<[NodeSelectorTerm, boolean]>([
    [{ matchExpressions: [{ key: "disk", operator: "In", values: ["ssd", "nvme"] }] }, true],
    [{ matchExpressions: [{ key: "disk", operator: "NotIn", values: ["ssd"] }] }, false],
    [{ matchExpressions: [{ key: "gpu", operator: "Exists" }] }, false],
    [{ matchExpressions: [{ key: "gpu", operator: "DoesNotExist" }] }, true],
    [{ matchExpressions: [{ key: "cpus", operator: "Gt", values: ["4"] }] }, true],
    [{ matchExpressions: [{ key: "cpus", operator: "Lt", values: ["4"] }] }, false],
    [{ matchExpressions: [{ key: "disk", operator: "Gt", values: ["4"] }] }, false],
    [{ matchFields: [{ key: "metadata.name", operator: "In", values: ["n1"] }] }, true],
    [{ matchFields: [{ key: "metadata.name", operator: "In", values: ["n2"] }] }, false],
    [{}, false],
  ])("is decided by the term %j", (term, belongs) => {
    expect(fitOf(node(), withTerm(term))).toEqual({ shouldRun: belongs, mayStay: belongs });
  });

  it("is decided by the node selector and the node's name", () => {
    expect(fitOf(node(), { containers: [], nodeSelector: { disk: "hdd" } }).shouldRun).toBe(false);
    expect(fitOf(node(), { containers: [], nodeName: "n2" }).shouldRun).toBe(false);
    expect(fitOf(node(), { containers: [], nodeName: "n1", nodeSelector: { disk: "ssd" } }).shouldRun).toBe(
      true,
    );
  });

  it("is decided by taints that are not tolerated", () => {
    const spec: PodSpec = {
      containers: [],
      tolerations: [
        { key: "a", value: "1" },
        { key: "b", operator: "Exists" },
      ],
    };
    expect(fitOf(node([{ key: "a", value: "1", effect: "NoSchedule" }]), spec).shouldRun).toBe(true);
    expect(fitOf(node([{ key: "b", value: "x", effect: "NoExecute" }]), spec).shouldRun).toBe(true);
    const repelled = fitOf(node([{ key: "a", value: "2", effect: "NoSchedule" }]), spec);
    expect(repelled).toEqual({ shouldRun: false, mayStay: true });
    expect(fitOf(node([{ key: "c", effect: "NoExecute" }]), spec)).toEqual({
      shouldRun: false,
      mayStay: false,
    });
    expect(fitOf(node([{ key: "c", effect: "PreferNoSchedule" }]), spec).shouldRun).toBe(true);
  });
});
