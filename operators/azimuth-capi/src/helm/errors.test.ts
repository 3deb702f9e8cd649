import { describe, expect, it } from "vitest";
import { failureOf, HelmCommandError, HelmError } from "./errors.ts";

describe("the failure of a command of Helm", () => {
  it.each([
    ["cancelled", "Error: UPGRADE FAILED: context canceled"],
    ["connection", "Error: etcdserver: leader changed"],
    ["release-not-found", "Error: uninstall: Release not loaded: demo: release: not found"],
    ["render", "Error: execution error at (probe/templates/cm.yaml:7:15): greeting is needed"],
    ["render", "Error: failed to render chart: exit status 1"],
    ["render", "Error: YAML parse error on probe/templates/bad.yaml: error converting YAML to JSON"],
    ["render", "Error: values don't meet the specifications of the schema(s) in the following chart(s):"],
    ["object-exists", "Error: rendered manifests contain a resource that already exists."],
    ["object-exists", 'Error: Unable to continue with install: ConfigMap "a" exists and cannot be imported'],
    ["invalid", 'Error: ConfigMap "UPPER" is invalid: metadata.name: Invalid value'],
    ["chart-not-found", 'Error: chart "probe" (version "9.9.9") not found'],
    ["chart-not-found", 'Error: chart "probe" version "9.9.9" not found in http://charts/ repository'],
    ["chart-not-found", 'Error: path "/charts/none" not found'],
    ["connection", 'Error: Get "https://api/version": read: operation timed out'],
    ["connection", "Error: dial tcp 10.0.0.1:443: connect: network is unreachable"],
    [
      "unauthorized",
      "Error: cluster unreachable: the server has asked for the client to provide credentials",
    ],
    ["other", "Error: something else"],
  ])("F.4: is %s for: %s", (failure, stderr) => {
    expect(failureOf(stderr)).toBe(failure);
  });

  it("shows what follows the progress and the warnings", () => {
    const error = new HelmCommandError({
      purpose: "upgrade release team-a/demo",
      command: ["helm", "upgrade"],
      exitCode: 1,
      stderr: 'level=WARN msg="upgrade failed"\nError: UPGRADE FAILED: no\nand more',
    });
    expect(error.message).toBe("upgrade release team-a/demo: UPGRADE FAILED: no\nand more");
    expect(error).toBeInstanceOf(HelmError);
  });

  it("says how the command ended if that says nothing", () => {
    const facts = { purpose: "show chart probe", command: ["helm"], stderr: "" };
    expect(new HelmCommandError({ ...facts, exitCode: 3 }).message).toBe(
      "show chart probe: helm ended with 3",
    );
    expect(new HelmCommandError({ ...facts, exitCode: undefined }).message).toBe(
      "show chart probe: helm was killed",
    );
  });

  it("is short, however much Helm wrote", () => {
    const facts = { purpose: "show chart probe", command: ["helm"], exitCode: 1 };
    const error = new HelmCommandError({ ...facts, stderr: `Error: ${"x".repeat(5_000)}` });
    expect(error.message.length).toBeLessThan(1_100);
  });
});
