import { expect, it } from "vitest";
import { cacheFolder, hostPlatform, platformName } from "./platform.ts";

it.each([
  ["linux", "x64", "linux/amd64"],
  ["linux", "arm64", "linux/arm64"],
  ["darwin", "arm64", "darwin/arm64"],
])("calls %s on %s %s", (os, arch, name) => {
  expect(platformName(hostPlatform(os, arch))).toBe(name);
});

it("explains on Windows what to do instead", () => {
  expect(() => hostPlatform("win32", "x64")).toThrow("win32/x64: a control plane runs on Linux and macOS");
});

const linux = { os: "linux", arch: "amd64" } as const;
const mac = { os: "darwin", arch: "arm64" } as const;

it("has its cache folder where the system keeps caches", () => {
  expect(cacheFolder(linux, { HOME: "/home/ann" })).toBe("/home/ann/.cache/keelson");
  expect(cacheFolder(mac, { HOME: "/Users/ann" })).toBe("/Users/ann/Library/Caches/keelson");
});

it("has its cache folder in XDG_CACHE_HOME, which counts only if absolute", () => {
  expect(cacheFolder(linux, { HOME: "/home/ann", XDG_CACHE_HOME: "/big/cache" })).toBe("/big/cache/keelson");
  expect(cacheFolder(linux, { HOME: "/home/ann", XDG_CACHE_HOME: "cache" })).toBe("/home/ann/.cache/keelson");
});
