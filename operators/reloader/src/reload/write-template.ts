import { jsonPatch } from "keelson";
import { isRefusedPatch, StaleObjectError } from "keelson/object";
import { templatePatch } from "./patch.ts";
import type { ReloadContext, ReloadRequest } from "./reload-request.ts";

/**
 * Writes the pod template of a reload, by one patch. Throws a StaleObjectError if the workload has changed since it was
 * read: the next reconcile reads it again and decides anew.
 */
export async function writeTemplate(context: ReloadContext, request: ReloadRequest): Promise<void> {
  const operations = [...(templatePatch(request, context.keys) ?? []), ...(request.operations ?? [])];
  if (operations.length === 0) return;
  const { resource, metadata } = request.workload;
  const key = { namespace: metadata.namespace, name: metadata.name };
  try {
    await context.client.patch(resource, key, jsonPatch(operations));
  } catch (error) {
    throw isRefusedPatch(error)
      ? new StaleObjectError({ verb: "patch", resource, key }, { cause: error })
      : error;
  }
}
