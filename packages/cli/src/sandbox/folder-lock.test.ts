import { mkdtempSync, readdirSync, readlinkSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { releaseLock, removeLeftLock, takeLock } from "./folder-lock.ts";

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

/** No process has it: it is beyond what Linux gives. */
const gone = "4194999";

it("says whose it is, and leaves nothing when it is released", () => {
  takeLock(lock);
  expect(readlinkSync(lock)).toBe(String(process.pid));
  releaseLock(lock);
  expect(readdirSync(folder)).toEqual([]);
});

it("is refused while a living process has it", () => {
  takeLock(lock);
  expect(() => takeLock(lock)).toThrow(
    `process ${process.pid} has it; stop that process if it is keelson, remove the file if it is not, ` +
      "or choose another folder",
  );
});

it("is taken from a dead process", () => {
  symlinkSync(gone, lock);
  takeLock(lock);
  expect(readdirSync(folder)).toEqual(["lock"]);
});

it("is taken from a dead process that had our id, as the next one in a container has", () => {
  symlinkSync(String(process.pid), lock);
  takeLock(lock);
  expect(readlinkSync(lock)).toBe(String(process.pid));
});

it("stays with whoever took it from the dead process first", () => {
  symlinkSync(String(process.ppid), lock);
  removeLeftLock(lock, gone);
  expect(readlinkSync(lock)).toBe(String(process.ppid));
  expect(readdirSync(folder)).toEqual(["lock"]);
});

it("is no reason to remove a file of somebody else's", () => {
  writeFileSync(lock, "dear diary");
  expect(() => takeLock(lock)).toThrow(`read ${lock}: it is not a lock of ours`);
  expect(readdirSync(folder)).toEqual(["lock"]);
});
