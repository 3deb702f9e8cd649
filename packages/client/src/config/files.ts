import { readFile as readFromDisk } from "node:fs/promises";

/** Reads a whole text file; rejects with a system error such as `ENOENT`. */
export type ReadFile = (path: string, signal?: AbortSignal) => Promise<string>;

/** Reads from the machine's disk. */
export const readTextFile: ReadFile = (path, signal) =>
  readFromDisk(path, { encoding: "utf8", ...(signal !== undefined && { signal }) });
