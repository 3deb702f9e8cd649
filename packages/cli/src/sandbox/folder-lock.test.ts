import {
  mkdtempSync,
  readdirSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { makeFolder, releaseLock, removeLeftLock, takeLock } from "./folder-lock.ts";

let folder: string;
let lock: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "keelson-lock-"));
  lock = join(folder, "lock");
});

afterEach(() => {
  releaseLock(lock);
  rmSync(folder, { recursive: true });
});

describe("a lock", () => {
  /** No process has this id: it is greater than any that Linux assigns. */
  const unusedId = "4194999";

  it("names the process that holds it, and leaves no file when it is released", () => {
    takeLock(lock);
    expect(readlinkSync(lock)).toBe(String(process.pid));
    releaseLock(lock);
    expect(readdirSync(folder)).toEqual([]);
  });

  it("is refused while a running process holds it", () => {
    takeLock(lock);
    expect(() => takeLock(lock)).toThrow(
      `process ${process.pid} has it; stop that process if it is keelson, remove the file if it is not, ` +
        "or choose another folder",
    );
  });

  it("is taken from a dead process", () => {
    symlinkSync(unusedId, lock);
    takeLock(lock);
    expect(readdirSync(folder)).toEqual(["lock"]);
  });

  it("is taken from a dead process that had the same id, as happens after the restart of a container", () => {
    symlinkSync(String(process.pid), lock);
    takeLock(lock);
    expect(readlinkSync(lock)).toBe(String(process.pid));
  });

  it("stays with the process that took it from the dead one first", () => {
    symlinkSync(String(process.ppid), lock);
    removeLeftLock(lock, unusedId);
    expect(readlinkSync(lock)).toBe(String(process.ppid));
    expect(readdirSync(folder)).toEqual(["lock"]);
  });

  it("is not taken where another program has a file of that name", () => {
    writeFileSync(lock, "dear diary");
    expect(() => takeLock(lock)).toThrow(`read ${lock}: it is not a lock of ours`);
    expect(readdirSync(folder)).toEqual(["lock"]);
  });
});

describe("makeFolder", () => {
  it("makes a folder and those above it, unless they exist", () => {
    const path = join(folder, "one", "two", "three");
    makeFolder(path);
    makeFolder(path);
    expect(statSync(path).isDirectory()).toBe(true);
    expect(statSync(join(folder, "one")).mode & 0o777).toBe(0o700);
  });

  it("throws the error of the file system", () => {
    const file = join(folder, "file");
    writeFileSync(file, "");
    expect(() => makeFolder(file)).toThrow("EEXIST");
    expect(() => makeFolder(join(file, "below"))).toThrow("ENOTDIR");
  });

  it.runIf(process.platform === "linux")("does not try for ever where none can be made", () => {
    expect(() => makeFolder("/proc/keelson")).toThrow("ENOENT");
    expect(() => makeFolder("/proc/keelson/data")).toThrow("ENOENT");
  });
});
