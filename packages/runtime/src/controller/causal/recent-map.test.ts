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

  it("makes a value again after it was deleted", () => {
    const map = new RecentMap<string, number>(2);
    map.use("a", () => 1);
    map.delete("a");
    expect([map.peek("a"), map.use("a", () => 2), map.size]).toEqual([undefined, 2, 1]);
  });
});
