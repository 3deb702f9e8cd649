import { ApiError, type Client, ConflictError, NotFoundError } from "@keelson/client";
import type { Stored } from "@keelson/core";
import { Pod } from "@keelson/core/kinds/core/v1";
import { Eviction } from "@keelson/core/kinds/policy/v1";

/** What came of the eviction of a pod. */
export type EvictionResult =
  | { readonly evicted: true }
  | {
      readonly evicted: false;
      /** Why the server refused it, in its words. */
      readonly reason: string;
    };

/**
 * Evicts a pod, as far as its PodDisruptionBudgets allow it now. A pod that does not exist any more counts as evicted, and
 * another one of its name is left alone. The server's refusals are returned, so that a caller can wait and try again; all
 * other errors are thrown.
 */
export async function evictPod(
  client: Pick<Client, "subresource">,
  { metadata: { namespace, name, uid } }: Pick<Stored<Pod>, "metadata">,
): Promise<EvictionResult> {
  try {
    await client
      .subresource(Pod, "eviction", Eviction)
      .submit(
        { namespace, name },
        { metadata: { namespace, name }, deleteOptions: { preconditions: { uid } } },
      );
    return { evicted: true };
  } catch (error) {
    if (error instanceof NotFoundError || error instanceof ConflictError) return { evicted: true };
    // Mostly a PodDisruptionBudget, or several of them for one pod, which the server does not support.
    if (error instanceof ApiError) return { evicted: false, reason: reasonOf(error) };
    throw error;
  }
}

function reasonOf({ status }: ApiError): string {
  return status.details?.causes?.[0]?.message ?? status.message ?? "the server refused it";
}
