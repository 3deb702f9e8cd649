import { closeSync, fsyncSync, openSync, renameSync, writeFileSync } from "node:fs";

/** Writes a file that only its owner may read. Whoever reads it, after a crash too, finds the old text or the new one. */
export function replaceFile(path: string, text: string | Uint8Array): void {
  const written = openSync(`${path}.new`, "w", 0o600);
  try {
    writeFileSync(written, text);
    fsyncSync(written);
  } finally {
    closeSync(written);
  }
  renameSync(`${path}.new`, path);
}
