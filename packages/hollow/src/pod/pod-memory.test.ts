import type { Pod } from "keelson/kinds/core/v1";
import { expect, it } from "vitest";
import { makePod } from "../../test/support/situations.ts";
import { PodMemory, PullRules } from "./pod-memory.ts";

const pod = (uid: string, podIP?: string): Pod =>
  makePod({ metadata: { name: uid, uid }, status: podIP === undefined ? {} : { podIP } });

it("gives every pod an address of its own, and the same one each time", () => {
  const memory = new PodMemory();
  const addresses = Array.from({ length: 300 }, (_, index) => memory.addressOf(pod(`p-${index}`)));
  expect(new Set(addresses).size).toBe(300);
  expect([addresses[0], addresses[255]]).toEqual(["10.128.0.1", "10.128.1.0"]);
  expect(memory.addressOf(pod("p-7"))).toBe(addresses[7]);
});

it("gives no address away that a pod has from before", () => {
  const memory = new PodMemory();
  memory.see(pod("old", "10.128.0.1"));
  expect(memory.addressOf(pod("new"))).toBe("10.128.0.2");
  expect(memory.addressOf(pod("old"))).toBe("10.128.0.1");
});

it("frees an address when its pod is deleted", () => {
  const memory = new PodMemory();
  const first = memory.addressOf(pod("first"));
  memory.noteChange(pod("first"), 5);
  memory.forget(pod("first"));
  expect(memory.changedAtMs(pod("first"))).toBeUndefined();
  memory.see(pod("second", first));
  expect(memory.addressOf(pod("second"))).toBe(first);
});

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
