import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { promisify } from "node:util";
import { expect } from "vitest";

/** The process numbers of all processes whose command line holds the text. */
export async function processesWith(text: string): Promise<readonly number[]> {
  const { stdout } = await promisify(execFile)("ps", ["-e", "-ww", "-o", "pid=,args="]);
  const lines = stdout.split("\n").filter((line) => line.includes(text));
  return lines.map((line) => Number.parseInt(line, 10));
}

/** Waits until no process names the folder and the folder is deleted. */
export async function expectNothingLeft(folder: string): Promise<void> {
  await expect
    .poll(async () => ({ processes: await processesWith(folder), folder: existsSync(folder) }))
    .toEqual({ processes: [], folder: false });
}
