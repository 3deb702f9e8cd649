import { mergePatch } from "keelson";
import type { ReloadContext, ReloadRequest } from "./reload-request.ts";

/**
 * Lets Argo Rollouts restart the pods of a Rollout, also of one with a `workloadRef`. What it is restarted for is
 * written in the same patch, so that a restart is never without its record.
 */
export async function restartRollout(context: ReloadContext, request: ReloadRequest): Promise<void> {
  const { workload, time, hash } = request;
  const { namespace, name, uid } = workload.metadata;
  const { lastReload, resourceHash } = context.keys;
  await context.client.patch(
    workload.resource,
    { namespace, name },
    mergePatch({
      // With the uid, the server refuses the patch if the Rollout was deleted and created again.
      metadata: { uid, annotations: { [lastReload]: time, [resourceHash]: hash } },
      spec: { restartAt: nextSecond(time) },
    }),
  );
}

/**
 * Argo Rollouts restarts the pods that were created before `restartAt`. Their creation is known to the second, so pods of
 * the same second are only restarted if `restartAt` is the next one.
 */
function nextSecond(time: string): string {
  const date = new Date(Math.ceil(Date.parse(time) / 1000) * 1000);
  return date.toISOString().replace(".000Z", "Z");
}
