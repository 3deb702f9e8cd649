import { dnsLabelProblem } from "keelson/low-level";
import { expect, it } from "vitest";
import { instanceName } from "./run-operators.ts";

it("gives runs of the same operators the same name, and runs of other operators another", () => {
  expect(instanceName(["webapp"])).toBe("keelson-webapp");
  expect(instanceName(["webapp", "backup"])).toBe(instanceName(["backup", "webapp"]));
  expect(instanceName(["a-b", "c"])).not.toBe(instanceName(["a", "b-c"]));
  expect(instanceName(["a--b"])).not.toBe(instanceName(["a", "b"]));
  const many = Array.from({ length: 12 }, (_, index) => `operator-${index}`);
  expect(dnsLabelProblem(instanceName(many))).toBeUndefined();
  expect(instanceName(many)).not.toBe(instanceName(many.slice(1)));
});
