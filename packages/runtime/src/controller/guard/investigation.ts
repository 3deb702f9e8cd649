import type { ApiCall, Client } from "@keelson/client";
import { errorCode, type KubeObject, toError } from "@keelson/core";
import { findOtherManagers, parseFieldPath, valueAt } from "./field-owners.ts";
import type { PingPongReport } from "./hot-loop-reports.ts";
import {
  hashOf,
  type Suspicion,
  type SuspicionResult,
  type Target,
  type WrittenObject,
} from "./written-objects.ts";

/** The other managers of a field, or why they are unknown. */
export type OtherWriters = Pick<PingPongReport, "otherManagers" | "unknownBecause">;

/** A write that is about to be made to an object with a suspicion. */
export interface SuspectWrite {
  readonly call: ApiCall;
  readonly target: Target;
  readonly before: KubeObject | undefined;
  readonly object: WrittenObject;
  readonly suspicion: Suspicion;
}

/**
 * Reads the object from the server and determines whether another writer sets the field, and which; undefined if none
 * does. Never throws, so that the write proceeds: a ping-pong with an unknown writer is a ping-pong as well.
 */
export async function investigate(
  liveClient: Pick<Client, "get">,
  write: SuspectWrite,
): Promise<OtherWriters | undefined> {
  const { call, target, object, suspicion } = write;
  const { resource, signal } = call;
  try {
    const live = await liveClient.get(resource, target.key, signal === undefined ? {} : { signal });
    const result = judge(live, write);
    object.settle(suspicion.path, result);
    if (result !== "contested") return undefined;
    return { otherManagers: findOtherManagers(live, suspicion.path, suspicion.ownManagers) };
  } catch (error) {
    const code = errorCode(error) ?? toError(error).name;
    // After an abort nothing is known, so the next write investigates again.
    if (signal?.aborted === true) return undefined;
    // A deleted object has no other writer.
    object.settle(suspicion.path, code === "NOT_FOUND" ? "uncontested" : "contested");
    return code === "NOT_FOUND" ? undefined : { otherManagers: [], unknownBecause: code };
  }
}

function judge(live: KubeObject, { before, object, suspicion: { path } }: SuspectWrite): SuspicionResult {
  const steps = parseFieldPath(path);
  const value = valueAt(live, steps);
  if (!object.isAsWritten(path, value)) return "contested";
  // A cache with a transform may drop fields: a field that it does not have was not removed by another writer.
  const isSameState = before?.metadata.resourceVersion === live.metadata.resourceVersion;
  const isStoredOtherwise = isSameState && hashOf(valueAt(before, steps)) !== hashOf(value);
  return isStoredOtherwise ? "unknowable" : "uncontested";
}
