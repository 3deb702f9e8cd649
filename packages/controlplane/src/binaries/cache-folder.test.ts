import { expect, it } from "vitest";
import { cacheFolder } from "./cache-folder.ts";

const linux = { os: "linux", arch: "amd64" } as const;
const mac = { os: "darwin", arch: "arm64" } as const;

it("is where the system keeps caches", () => {
  expect(cacheFolder(linux, { HOME: "/home/ann" })).toBe("/home/ann/.cache/keelson");
  expect(cacheFolder(mac, { HOME: "/Users/ann" })).toBe("/Users/ann/Library/Caches/keelson");
});

it("follows XDG_CACHE_HOME, which counts only if absolute", () => {
  expect(cacheFolder(linux, { HOME: "/home/ann", XDG_CACHE_HOME: "/big/cache" })).toBe("/big/cache/keelson");
  expect(cacheFolder(linux, { HOME: "/home/ann", XDG_CACHE_HOME: "cache" })).toBe("/home/ann/.cache/keelson");
});
