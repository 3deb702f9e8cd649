import { expect, it } from "vitest";
import { compileCacheFolder } from "./compile-cache.ts";

it("keeps what is compiled in the cache of the user", () => {
  expect(compileCacheFolder({ HOME: "/home/ann" }, "linux")).toBe("/home/ann/.cache/keelson/compiled");
  expect(compileCacheFolder({ HOME: "/Users/ann" }, "darwin")).toBe(
    "/Users/ann/Library/Caches/keelson/compiled",
  );
  expect(compileCacheFolder({ HOME: "/home/ann", XDG_CACHE_HOME: "/big" }, "linux")).toBe(
    "/big/keelson/compiled",
  );
  expect(compileCacheFolder({ HOME: "/home/ann", XDG_CACHE_HOME: "big" }, "linux")).toBe(
    "/home/ann/.cache/keelson/compiled",
  );
});
