import { describe, expect, it } from "vitest";
import { RecentMap } from "./recent-map.ts";

describe("a map of the most recently used", () => {
  it("drops the entry whose last use is longest ago, and looking is no use", () => {
    const map = new RecentMap<string, string>(2);
    map.use("a", () => "first a");
    map.use("b", () => "first b");
    expect(map.use("a", () => "second a")).toBe("first a");
    expect(map.peek("b")).toBe("first b");
    map.use("c", () => "first c");
    expect(map.keys()).toEqual(["a", "c"]);
    expect(map.peek("b")).toBeUndefined();
  });

  it("returns the evicted value, and counts a new value for an old key as a use", () => {
    const map = new RecentMap<string, number>(2);
    expect([map.set("a", 1), map.set("b", 2), map.set("a", 3), map.get("b")]).toEqual([
      ...[undefined, undefined, undefined, 2],
    ]);
    expect(map.set("c", 4)).toBe(3);
    expect([map.has("a"), map.has("b"), map.get("a")]).toEqual([false, true, undefined]);
    expect([...map.entries()]).toEqual([
      ["b", 2],
      ["c", 4],
    ]);
  });

  it("allows deletes during an iteration", () => {
    const map = new RecentMap<string, number>(3);
    for (const key of ["a", "b", "c"]) map.set(key, 1);
    const seen: string[] = [];
    for (const [key] of map.entries()) {
      seen.push(key);
      if (key !== "b") map.delete(key);
    }
    expect([seen, map.keys(), map.size]).toEqual([["a", "b", "c"], ["b"], 1]);
  });

  it("makes a value again after it was deleted", () => {
    const map = new RecentMap<string, number>(2);
    map.use("a", () => 1);
    map.delete("a");
    expect([map.peek("a"), map.use("a", () => 2), map.size]).toEqual([undefined, 2, 1]);
  });
});
