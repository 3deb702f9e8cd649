import type { ApiCall, Client } from "@keelson/client";
import { errorCode, type KubeObject, toError } from "@keelson/core";
import { parseFieldPath, valueAt } from "./field-path.ts";
import { findOtherManagers } from "./find-other-managers.ts";
import type { PingPongReport } from "./ping-pong-report.ts";
import type { Target } from "./target.ts";
import { hashOf } from "./value-hash.ts";
import type { Suspicion } from "./written-field.ts";
import type { WrittenObject } from "./written-object.ts";

/** Who else writes a field, or why that cannot be told. */
export type OtherWriters = Pick<PingPongReport, "otherManagers" | "unknownBecause">;

/** A write that is about to be made to an object of which somebody else seems to write a field. */
export interface SuspectWrite {
  readonly call: ApiCall;
  readonly target: Target;
  readonly before: KubeObject | undefined;
  readonly object: WrittenObject;
  readonly suspicion: Suspicion;
}

/**
 * Reads the object from the server and finds out whether there is a fight, and with whom; undefined if there is none.
 * Never throws, so that the write goes on: a fight with somebody who cannot be found out is a fight as well.
 */
export async function lookInto(
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
    // Whoever has deleted it does not fight; and after an abort nothing is known, so the next write looks again.
    if (signal?.aborted === true) return undefined;
    object.settle(suspicion.path, code === "NOT_FOUND" ? "uncontested" : "contested");
    return code === "NOT_FOUND" ? undefined : { otherManagers: [], unknownBecause: code };
  }
}

function judge(
  live: KubeObject,
  { before, object, suspicion: { path } }: SuspectWrite,
): "contested" | "uncontested" | "unknowable" {
  const steps = parseFieldPath(path);
  const value = valueAt(live, steps);
  if (!object.isAsWritten(path, value)) return "contested";
  // Some caches drop fields before they store an object: what they do not have, nobody has removed.
  const isSameState = before?.metadata.resourceVersion === live.metadata.resourceVersion;
  const isStoredOtherwise = isSameState && hashOf(valueAt(before, steps)) !== hashOf(value);
  return isStoredOtherwise ? "unknowable" : "uncontested";
}
