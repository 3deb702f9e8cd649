import { existsSync, mkdirSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { errorCode } from "@keelson/core";

/**
 * Makes a folder that only its owner may use, and those above it that are missing. Node's own way to do so tries for ever
 * where a folder takes no other, such as /proc.
 */
export function makeFolder(path: string): void {
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    if (errorCode(error) === "EEXIST" && statSync(path).isDirectory()) return;
    if (errorCode(error) !== "ENOENT" || existsSync(dirname(path))) throw error;
    makeFolder(dirname(path));
    mkdirSync(path, { mode: 0o700 });
  }
}
