import { expect, it } from "vitest";
import { PullRules } from "./pull-rules.ts";

it.each([
  ["nginx:1.25", "nginx:1.25", false],
  ["nginx:1.25", "nginx:1x25", true],
  ["nginx", "nginx:1.25", true],
  ["nginx:*", "nginx:1.25", false],
  ["*/nginx:*", "registry.example.com/team/nginx:1", false],
  ["*", "anything", false],
])("of the pattern %s, whether %s can be pulled: %s", (pattern, image, canPull) => {
  const rules = new PullRules();
  rules.fail(pattern);
  expect(rules.canPull(image)).toBe(canPull);
});

it("takes back one pattern, or all", () => {
  const rules = new PullRules();
  for (const pattern of ["a", "b", "c"]) rules.fail(pattern);
  rules.allow("a");
  expect(["a", "b", "c"].map((image) => rules.canPull(image))).toEqual([true, false, false]);
  rules.allow();
  expect(["b", "c"].map((image) => rules.canPull(image))).toEqual([true, true]);
});
