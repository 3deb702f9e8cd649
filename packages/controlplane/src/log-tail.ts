import { open } from "node:fs/promises";
import { errorCode } from "@keelson/core";

const tailBytes = 16 * 1024;
const tailLines = 25;

/** The last lines of a log file, for an error message; says so if there are none. */
export async function logTail(file: string): Promise<string> {
  try {
    await using handle = await open(file);
    const { size } = await handle.stat();
    const length = Math.min(size, tailBytes);
    const { buffer } = await handle.read(Buffer.alloc(length), 0, length, size - length);
    const lines = buffer.toString("utf8").trimEnd().split("\n").slice(-tailLines);
    return lines.join("\n") || "(the log is empty)";
  } catch (error) {
    // A control plane that is being stopped takes its logs with it.
    if (errorCode(error) === "ENOENT") return "(the log is gone)";
    throw error;
  }
}
