import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { makeFolder } from "./make-folder.ts";

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "keelson-folder-"));
});

afterEach(() => rmSync(folder, { recursive: true }));

it("makes a folder and those above it, and is content with one that is there", () => {
  const path = join(folder, "one", "two", "three");
  makeFolder(path);
  makeFolder(path);
  expect(statSync(path).isDirectory()).toBe(true);
  expect(statSync(join(folder, "one")).mode & 0o777).toBe(0o700);
});

it("says what keeps it from being made", () => {
  const file = join(folder, "file");
  writeFileSync(file, "");
  expect(() => makeFolder(file)).toThrow("EEXIST");
  expect(() => makeFolder(join(file, "below"))).toThrow("ENOTDIR");
});

it.runIf(process.platform === "linux")("does not try for ever where none can be made", () => {
  expect(() => makeFolder("/proc/keelson")).toThrow("ENOENT");
  expect(() => makeFolder("/proc/keelson/data")).toThrow("ENOENT");
});
