import { describe, expect, it } from "vitest";
import type { ClusterTemplateSpec } from "../api/cluster-template.ts";
import { judgeCluster, type ReadFacts, type StoredCluster } from "./judge-cluster.ts";

function template(kubernetesVersion: string, deprecated?: boolean | null): ClusterTemplateSpec {
  const values = { kubernetesVersion, machineImageId: "5a5f" };
  return { label: "Kubernetes", description: "A template", deprecated, values };
}

function stored(
  version: string | undefined,
  kubelets: readonly (string | null | undefined)[] = [],
  kubernetesVersion: string | null = null,
): StoredCluster {
  const nodes = kubelets.map((kubeletVersion, index) => {
    return [`node-${index}`, kubeletVersion === undefined ? {} : { kubeletVersion }] as const;
  });
  return {
    spec: { templateName: "before" },
    status: { kubernetesVersion, nodes: Object.fromEntries(nodes) },
    template: version === undefined ? undefined : template(version),
  };
}

const create: ReadFacts = {
  templateName: "next",
  template: template("1.31.2"),
  hasCredentials: true,
  stored: undefined,
};

const missingSecret = "specified cloud credentials secret does not exist";
const missingTemplate = "specified cluster template does not exist";
const deprecated = "specified cluster template is deprecated";
const downgrade = "specified cluster template would be a downgrade";
const newMajor = "upgrading to a new major version is not supported";
const manyMinors = "upgrading by more than one minor version is not supported";
const oldNodes = "upgrading to more than one minor version newer than the oldest node is not supported";

describe("a new Cluster", () => {
  it("C6: may be stored", () => {
    expect(judgeCluster(create)).toBeUndefined();
    expect(judgeCluster({ ...create, template: template("no version", false) })).toBeUndefined();
    expect(judgeCluster({ ...create, template: template("1.31.2", null) })).toBeUndefined();
  });

  it("C1: needs a valid spec", () => {
    const problems = [{ path: "label", message: "Field required" }];
    expect(judgeCluster({ problems })).toBe("1 validation error for ClusterSpec\nlabel\n  Field required");
  });

  it.each([
    ["C2: needs its Secret before all else", { hasCredentials: false, template: undefined }, missingSecret],
    ["C3: needs its template", { template: undefined }, missingTemplate],
    ["C5: may not use a deprecated template", { template: template("1.31.2", true) }, deprecated],
  ])("%s", (_, facts, message) => {
    expect(judgeCluster({ ...create, ...facts })).toBe(message);
  });
});

describe("a Cluster that keeps its template", () => {
  const kept: ReadFacts = { ...create, templateName: "before", stored: stored("1.31.2", ["1.20.0"]) };

  it("C4: may be changed, whatever has become of the template", () => {
    expect(judgeCluster({ ...kept, template: template("1.10.0", true) })).toBeUndefined();
    expect(judgeCluster({ ...kept, template: template("no version") })).toBeUndefined();
  });

  it("C2, C3: needs its Secret and its template", () => {
    expect(judgeCluster({ ...kept, hasCredentials: false })).toBe(missingSecret);
    expect(judgeCluster({ ...kept, template: undefined })).toBe(missingTemplate);
  });
});

describe("a Cluster with another template", () => {
  it("C5: may not use a deprecated one", () => {
    const facts = { ...create, template: template("1.31.2", true), stored: stored("1.31.1") };
    expect(judgeCluster(facts)).toBe(deprecated);
  });

  it.each([
    ["the same version", "1.31.2", "1.31.2"],
    ["a v before it", "1.31.2", "v1.31.2"],
    ["the next patch", "1.31.2", "1.31.10"],
    ["the next minor version", "1.31.2", "v1.32.0"],
    ["a release after its prerelease", "1.31.0-rc.1", "1.31.0"],
  ])("may have %s", (_, before, next) => {
    expect(judgeCluster({ ...create, template: template(next), stored: stored(before) })).toBeUndefined();
  });

  it.each([
    ["C7", "1.31.2", "1.31.1", downgrade],
    ["C7", "1.31.10", "1.31.9", downgrade],
    ["C7", "1.31.2", "1.30.9", downgrade],
    ["C7", "2.0.0", "1.99.0", downgrade],
    ["C7", "1.31.0", "1.31.0-rc.1", downgrade],
    ["C8", "1.31.2", "2.0.0", newMajor],
    ["C8", "1.31.2", "2.32.0", newMajor],
    ["C9", "1.31.2", "1.33.0", manyMinors],
    ["C9", "1.9.0", "1.11.0", manyMinors],
  ])("%s: may not go from %s to %s", (_, before, next, message) => {
    expect(judgeCluster({ ...create, template: template(next), stored: stored(before) })).toBe(message);
  });

  it("C7: may not have a version that cannot be compared", () => {
    const facts = { ...create, template: template("latest"), stored: stored("1.31.2") };
    expect(judgeCluster(facts)).toBe(
      'specified cluster template has no valid Kubernetes version: "latest" is not a SemVer version',
    );
  });

  it.each([undefined, "latest"])(
    "C7: is compared with its control plane if the version of its template is %s",
    (before) => {
      const at = (next: string, control: string | null): string | undefined =>
        judgeCluster({ ...create, template: template(next), stored: stored(before, [], control) });
      expect(at("1.30.0", "1.31.2")).toBe(downgrade);
      expect(at("1.33.0", "1.31.2")).toBe(manyMinors);
      expect(at("1.32.0", "1.31.2")).toBeUndefined();
      expect(at("1.99.0", null)).toBeUndefined();
    },
  );

  it.each([
    ["C10: there are none", []],
    ["C11: all have the current version", ["1.31.2", "1.31.2"]],
    ["C11: the oldest is one minor version behind", ["1.31.2", "v1.31.0"]],
    ["C11: some have no version yet", ["1.31.2", null, undefined]],
    ["L8: none has a version yet", [null, undefined]],
    ["L8: their versions cannot be read", ["", "unknown"]],
  ])("may be upgraded by one minor version if, of its nodes: %s", (_, kubelets) => {
    const facts = { ...create, template: template("1.32.0"), stored: stored("1.31.2", kubelets) };
    expect(judgeCluster(facts)).toBeUndefined();
  });

  it.each([[["1.30.9", "1.31.2"]], [["1.31.2", "1.9.0"]], [["v1.30.0", null]]])(
    "C11: may not be upgraded while a node is two minor versions behind: %j",
    (kubelets) => {
      const facts = { ...create, template: template("1.32.0"), stored: stored("1.31.2", kubelets) };
      expect(judgeCluster(facts)).toBe(oldNodes);
    },
  );

  it("C11: looks at the nodes also if the current version is not known", () => {
    const facts = { ...create, template: template("1.32.0"), stored: stored(undefined, ["1.30.0"]) };
    expect(judgeCluster(facts)).toBe(oldNodes);
  });
});
