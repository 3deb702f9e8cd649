import { describe, expect, it } from "vitest";
import { clusterKind } from "../api/cluster.ts";
import { clusterTemplateKind } from "../api/cluster-template.ts";
import { clusterSpecProblems, schemaProblems, specReport } from "./spec-report.ts";

const names = { apiGroup: "azimuth.stackhpc.com", crdCategories: [] };
const { spec: clusterSchema } = clusterKind(names).schemas;
const { spec: templateSchema } = clusterTemplateKind(names).schemas;

const valid = {
  label: "Test",
  templateName: "kube-1-31",
  cloudCredentialsSecretName: "test-cloud-credentials",
  controlPlaneMachineSize: "m1.small",
};

function reportOf(changes: object): string {
  return specReport("ClusterSpec", clusterSpecProblems(clusterSchema, { ...valid, ...changes }));
}

function groupReport(group: object): string {
  return reportOf({ nodeGroups: [{ name: "main", machineSize: "m1.small", ...group }] });
}

describe("the report of a Cluster's spec", () => {
  it.each([
    ["the least", {}],
    ["everything null", { leaseName: null, paused: null, nodeGroups: null, addons: null }],
    ["an empty node group", { nodeGroups: [{ name: "a", machineSize: "b", count: 0 }] }],
    [
      "counts that are not needed",
      {
        nodeGroups: [
          { name: "a", machineSize: "b", autoscale: true, count: null, minCount: 2, maxCount: 2 },
          { name: "c", machineSize: "b", autoscale: true, count: 7, minCount: 1, maxCount: 2 },
          { name: "d", machineSize: "b", autoscale: null, count: 1, minCount: 9, maxCount: 2 },
        ],
      },
    ],
  ])("C1: is empty for %s", (_, changes) => {
    expect(clusterSpecProblems(clusterSchema, { ...valid, ...changes })).toEqual([]);
  });

  const nonAutoscaled = "  must be given for a non-autoscaled node group";
  const autoscaled = "  must be given for an autoscaled node group";
  const order = "  must be greater than or equal to the minimum count";

  it.each([
    [{}, ["nodeGroups.0.count", nonAutoscaled]],
    [{ count: null, autoscale: false }, ["nodeGroups.0.count", nonAutoscaled]],
    [{ minCount: 1, maxCount: 2 }, ["nodeGroups.0.count", nonAutoscaled]],
    [{ autoscale: true, maxCount: 2 }, ["nodeGroups.0.minCount", autoscaled]],
    [{ autoscale: true, minCount: 2, maxCount: null }, ["nodeGroups.0.maxCount", autoscaled]],
    [{ autoscale: true, minCount: 2, maxCount: 1 }, ["nodeGroups.0.maxCount", order]],
  ])("C1: names the numbers that a node group lacks: %j", (group, lines) => {
    expect(groupReport(group).split("\n")).toEqual(["1 validation error for ClusterSpec", ...lines]);
  });

  it("C1: lists everything that is wrong", () => {
    const second = { name: "b", machineSize: "", autoscale: true };
    const first = { name: "a", machineSize: "b", count: -1 };
    expect(reportOf({ label: "", nodeGroups: [first, second] })).toBe(
      [
        "5 validation errors for ClusterSpec",
        "label",
        "  String should have at least 1 character",
        "nodeGroups.0.count",
        "  Input should be greater than or equal to 0",
        "nodeGroups.1.machineSize",
        "  String should have at least 1 character",
        "nodeGroups.1.minCount",
        autoscaled,
        "nodeGroups.1.maxCount",
        autoscaled,
      ].join("\n"),
    );
  });

  it.each([
    [{ label: undefined }, "label", "Field required"],
    [{ label: null }, "label", "Input should be a valid string"],
    [{ templateName: 5 }, "templateName", "Input should be a valid string"],
    [{ leaseName: "" }, "leaseName", "String should have at least 1 character"],
    [{ paused: "no" }, "paused", "Input should be a valid boolean"],
    [{ nodeGroups: {} }, "nodeGroups", "Input should be a valid list"],
    [{ nodeGroups: ["main"] }, "nodeGroups.0", "Input should be a valid dictionary"],
    [{ addons: [] }, "addons", "Input should be a valid dictionary"],
    [
      { addons: { monitoringLokiVolumeSize: 0 } },
      "addons.monitoringLokiVolumeSize",
      "Input should be greater than 0",
    ],
    [
      { addons: { monitoringLokiVolumeSize: 1.5 } },
      "addons.monitoringLokiVolumeSize",
      "Input should be a valid integer",
    ],
    [
      { addons: { ingressControllerLoadBalancerIp: "::1" } },
      "addons.ingressControllerLoadBalancerIp",
      "Input is not a valid IPv4 address",
    ],
  ])("C1: names a field of the wrong type: %j", (changes, path, message) => {
    expect(reportOf(changes)).toBe(`1 validation error for ClusterSpec\n${path}\n  ${message}`);
  });

  it.each([undefined, null, "text", []])("C1: is made of any input: %j", (spec) => {
    expect(clusterSpecProblems(clusterSchema, spec)).toHaveLength(1);
  });
});

it("T1: the report of a ClusterTemplate's spec names missing values", () => {
  const problems = schemaProblems(templateSchema, {
    label: "Kubernetes 1.31",
    tags: [""],
    values: { kubernetesVersion: "1.31.2", anything: null },
  });
  expect(specReport("ClusterTemplateSpec", problems)).toBe(
    [
      "3 validation errors for ClusterTemplateSpec",
      "description",
      "  Field required",
      "tags.0",
      "  String should have at least 1 character",
      "values.machineImageId",
      "  Field required",
    ].join("\n"),
  );
});
