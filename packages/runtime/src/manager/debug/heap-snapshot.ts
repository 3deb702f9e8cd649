import { getHeapSnapshot } from "node:v8";
import type { ServiceResponse } from "@keelson/core";
import { fileAnswer } from "./answers.ts";

/**
 * All objects in memory, for the memory tab of a browser's developer tools. Nothing else runs while it is taken, which is
 * a second for some hundred MB, and it holds whatever is in memory, secrets included.
 */
export async function heapSnapshot(): Promise<ServiceResponse> {
  return fileAnswer("keelson.heapsnapshot", getHeapSnapshot());
}
