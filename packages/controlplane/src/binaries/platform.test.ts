import { expect, it } from "vitest";
import { hostPlatform, platformName } from "./platform.ts";

it.each([
  ["linux", "x64", "linux/amd64"],
  ["linux", "arm64", "linux/arm64"],
  ["darwin", "arm64", "darwin/arm64"],
])("calls %s on %s %s", (os, arch, name) => {
  expect(platformName(hostPlatform(os, arch))).toBe(name);
});

it("says on Windows what to do instead", () => {
  expect(() => hostPlatform("win32", "x64")).toThrow("win32/x64: a control plane runs on Linux and macOS");
});
