import type { Client } from "@keelson/client";
import { type ApiUse, toError } from "@keelson/core";
import { SelfSubjectAccessReview } from "@keelson/core/kinds/authorization/v1";
import { accessQuestion } from "./access-question.ts";
import type { NeededUse } from "./needed-use.ts";

/** A use that the API server would refuse. */
export interface MissingPermission {
  readonly use: ApiUse;
  /** All who need it. */
  readonly neededBy: readonly string[];
}

export interface PermissionReport {
  readonly missing: readonly MissingPermission[];
  /** Uses about which the server did not answer, and why; they may be allowed or not. */
  readonly unknown: readonly { readonly use: ApiUse; readonly error: Error }[];
}

export interface CheckPermissionsOptions {
  readonly signal?: AbortSignal;
  /** How many questions are under way at once. Default 10. */
  readonly concurrency?: number;
}

/**
 * Asks the API server, by a SelfSubjectAccessReview for each use, whether this client may do it; each use is asked for
 * once, however many need it. Writes nothing. Throws only the signal's reason.
 */
export async function checkPermissions(
  client: Client,
  needed: readonly NeededUse[],
  { signal, concurrency = 10 }: CheckPermissionsOptions = {},
): Promise<PermissionReport> {
  const wanted = mergeNeeded(needed);
  const missing: (MissingPermission | undefined)[] = [];
  const unknown: { readonly use: ApiUse; readonly error: Error }[] = [];
  let next = 0;
  const askNext = async (): Promise<void> => {
    for (let index = next++; index < wanted.length; index = next++) {
      const permission = wanted[index];
      if (permission === undefined) return;
      try {
        if (!(await isAllowed(client, permission.use, signal))) missing[index] = permission;
      } catch (error) {
        signal?.throwIfAborted();
        unknown.push({ use: permission.use, error: toError(error) });
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(concurrency, wanted.length) }, askNext));
  return { missing: missing.filter((permission) => permission !== undefined), unknown };
}

async function isAllowed(client: Client, use: ApiUse, signal: AbortSignal | undefined): Promise<boolean> {
  const review = { metadata: {}, spec: accessQuestion(use) };
  const options = signal === undefined ? {} : { signal };
  const { status } = await client.create(SelfSubjectAccessReview, review, options);
  return status?.allowed === true;
}

/** Each question once, with all who need its answer. */
export function mergeNeeded(needed: readonly NeededUse[]): readonly MissingPermission[] {
  const merged = new Map<string, MissingPermission>();
  for (const { use, neededBy } of needed) {
    const question = JSON.stringify(accessQuestion(use));
    const before = merged.get(question)?.neededBy ?? [];
    merged.set(question, { use, neededBy: [...new Set([...before, neededBy])] });
  }
  return [...merged.values()];
}
