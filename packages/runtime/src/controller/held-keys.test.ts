import { expect, it } from "vitest";
import { HeldKeys } from "./workers.ts";

it("keeps a pause between the runs of a held key, and of no other", () => {
  const keys = new HeldKeys({ holdMs: (key) => (key === "hot" ? 1000 : 0) });
  expect(keys.pauseMs("hot", 0)).toBe(0);
  keys.ended("hot", 100);
  keys.ended("cold", 100);
  expect(keys.pauseMs("hot", 100)).toBe(1000);
  expect(keys.pauseMs("hot", 900)).toBe(200);
  expect(keys.pauseMs("hot", 1100)).toBe(0);
  expect(keys.pauseMs("cold", 100)).toBe(0);
});

it("lets a key go as soon as the guard does", () => {
  let holdMs = 1000;
  const keys = new HeldKeys({ holdMs: () => holdMs });
  keys.ended("hot", 0);
  holdMs = 0;
  expect(keys.pauseMs("hot", 1)).toBe(0);
  keys.ended("hot", 2);
  holdMs = 1000;
  expect(keys.pauseMs("hot", 3), "what ended while it was free does not count").toBe(0);
});

it("holds nothing without a guard", () => {
  const keys = new HeldKeys(undefined);
  keys.ended("hot", 0);
  expect(keys.pauseMs("hot", 1)).toBe(0);
});

it("does not remember keys that never run again", () => {
  const keys = new HeldKeys({ holdMs: (key) => (key === "last" ? 0 : 1000) });
  for (let count = 0; count < 100; count++) keys.ended(`gone-${count}`, count);
  expect(keys.size).toBe(100);
  keys.ended("last", 1050);
  expect(keys.size).toBe(49);
  keys.ended("last", 2000);
  expect(keys.size).toBe(0);
});

it("does not remember a key that the guard forgets", () => {
  const held = new Set(["gone", "hot"]);
  const keys = new HeldKeys({ holdMs: (key) => (held.has(key) ? 1000 : 0) });
  keys.ended("gone", 0);
  held.delete("gone");
  keys.ended("hot", 1);
  expect([keys.size, keys.pauseMs("gone", 2), keys.pauseMs("hot", 2)]).toEqual([1, 0, 999]);
});

it("notifies the guard when a run has ended", () => {
  const ends: unknown[] = [];
  const keys = new HeldKeys({ holdMs: () => 0, ended: (...end) => ends.push(end) });
  keys.ended("a", 5);
  expect(ends).toEqual([["a", 5]]);
});
