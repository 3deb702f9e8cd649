import type { Client } from "@keelson/client";
import { type ApiUse, type ResourceUse, toError } from "@keelson/core";
import { SelfSubjectReview } from "@keelson/core/kinds/authentication/v1";
import {
  SelfSubjectAccessReview,
  type SelfSubjectAccessReviewSpec,
} from "@keelson/core/kinds/authorization/v1";
import type { NeededUse } from "./needed-uses.ts";

/** A use that the API server would refuse. */
export interface MissingPermission {
  readonly use: ApiUse;
  /** All parts that need it. */
  readonly neededBy: readonly string[];
}

export interface PermissionReport {
  readonly missing: readonly MissingPermission[];
  /** Uses whose review failed, with the error; they may be allowed or not. */
  readonly unknown: readonly { readonly use: ApiUse; readonly error: Error }[];
}

export interface CheckPermissionsOptions {
  readonly signal?: AbortSignal;
  /** How many reviews run at once. Default 10. */
  readonly concurrency?: number;
}

/**
 * Checks, by a SelfSubjectAccessReview for each use, whether the API server allows it to this client. A use that several
 * parts need is reviewed once. Writes nothing. Throws only the signal's reason.
 */
export async function checkPermissions(
  client: Client,
  needed: readonly NeededUse[],
  { signal, concurrency = 10 }: CheckPermissionsOptions = {},
): Promise<PermissionReport> {
  const permissions = mergeNeeded(needed);
  const missing: (MissingPermission | undefined)[] = [];
  const unknown: { readonly use: ApiUse; readonly error: Error }[] = [];
  let next = 0;
  const reviewNext = async (): Promise<void> => {
    for (let index = next++; index < permissions.length; index = next++) {
      const permission = permissions[index];
      if (permission === undefined) return;
      try {
        if (!(await isAllowed(client, permission.use, signal))) missing[index] = permission;
      } catch (error) {
        signal?.throwIfAborted();
        unknown.push({ use: permission.use, error: toError(error) });
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(concurrency, permissions.length) }, reviewNext));
  return { missing: missing.filter((permission) => permission !== undefined), unknown };
}

async function isAllowed(client: Client, use: ApiUse, signal: AbortSignal | undefined): Promise<boolean> {
  const review = { metadata: {}, spec: toAccessReview(use) };
  const options = signal === undefined ? {} : { signal };
  const { status } = await client.create(SelfSubjectAccessReview, review, options);
  return status?.allowed === true;
}

/** Each review once, with all parts that need it. */
export function mergeNeeded(needed: readonly NeededUse[]): readonly MissingPermission[] {
  const merged = new Map<string, MissingPermission>();
  for (const { use, neededBy } of needed) {
    const review = JSON.stringify(toAccessReview(use));
    const before = merged.get(review)?.neededBy ?? [];
    merged.set(review, { use, neededBy: [...new Set([...before, neededBy])] });
  }
  return [...merged.values()];
}

/** The review that determines whether the API server allows the use. */
export function toAccessReview(use: ApiUse): SelfSubjectAccessReviewSpec {
  if ("nonResourceUrl" in use) return { nonResourceAttributes: { path: use.nonResourceUrl, verb: use.verb } };
  const { verb, group, resource, subresource, namespace, name } = asAuthorized(use);
  return {
    resourceAttributes: {
      verb,
      group,
      resource,
      ...(subresource !== undefined && { subresource }),
      ...(namespace !== undefined && { namespace }),
      ...(name !== undefined && { name }),
    },
  };
}

/** The authorizer does not see the name of a created object, or the names of a deleted collection. */
function asAuthorized(use: ResourceUse): ResourceUse {
  const { name: _, ...nameless } = use;
  const isNameless =
    (use.verb === "create" && use.subresource === undefined) || use.verb === "deletecollection";
  return isNameless ? nameless : use;
}

/** The user name of all unauthenticated clients; a permission granted to it is granted to all of them. */
const anonymous = "system:anonymous";

/**
 * The user name that the API server has for this client, such as `system:serviceaccount:shop:operator`; undefined if the
 * server does not report it, or the client is anonymous. Throws only the signal's reason.
 */
export async function currentUser(client: Client, signal?: AbortSignal): Promise<string | undefined> {
  try {
    const options = signal === undefined ? {} : { signal };
    const { status } = await client.create(SelfSubjectReview, { metadata: {} }, options);
    const { username } = status?.userInfo ?? {};
    return username === anonymous ? undefined : username;
  } catch {
    signal?.throwIfAborted();
    // Servers before 1.28 do not have the API. The report of missing permissions is useful without the user, too.
    return undefined;
  }
}
