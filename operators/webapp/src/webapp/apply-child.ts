import {
  type ApplyConfiguration,
  deepEqual,
  ForbiddenError,
  ForeignObjectError,
  find,
  InvalidError,
  type KubeObject,
  type Resource,
} from "keelson";
import { BadRequestError } from "keelson/client";
import { applyOwned, removeOwned } from "keelson/object";
import { operatorName } from "../api/labels.ts";
import { reasons } from "../api/reasons.ts";
import { WebApp } from "../api/web-app.ts";
import { tellApplied, tellRemoved } from "./events.ts";
import { childKey, type Problem, type Scope } from "./scope.ts";

/**
 * Brings one child to where it is wanted, and gives it. One that is somebody else's is left as it is, and undefined is
 * given. Throws what else keeps it from being applied. The problems of the scope tell of what users can change.
 */
export async function applyChild<T extends KubeObject>(
  scope: Scope,
  resource: Resource<T>,
  wanted: ApplyConfiguration<T>,
): Promise<T | undefined> {
  const { client, liveClient: live, webapp } = scope;
  const before = await find(client, resource, childKey(webapp));
  try {
    const owner = { object: webapp, resource: WebApp };
    const applied = await applyOwned(client, owner, resource, wanted, { fieldOwner: operatorName, live });
    // Where a webhook of somebody else has the last word, an apply may leave everything as it was.
    if (!saysTheSame(before, applied.object)) tellApplied(scope, resource, before, applied.object);
    return applied.object;
  } catch (error) {
    const problem = problemOf(resource, error);
    if (problem !== undefined) scope.problems.push(problem);
    if (error instanceof ForeignObjectError) return undefined;
    throw error;
  }
}

function saysTheSame(before: KubeObject | undefined, after: KubeObject): boolean {
  return before !== undefined && deepEqual(contentOf(before), contentOf(after));
}

/** Without the server's own notes: an apply that changes nothing may still be noted as the last one. */
function contentOf({ metadata, ...others }: KubeObject): object {
  const { resourceVersion: _, managedFields: __, ...kept } = metadata;
  return { ...others, status: undefined, metadata: kept };
}

/** Deletes a child that is no longer wanted. One that is somebody else's stays. */
export async function removeChild<T extends KubeObject>(scope: Scope, resource: Resource<T>): Promise<void> {
  const { client, webapp } = scope;
  if (await removeOwned(client, webapp, resource, childKey(webapp))) tellRemoved(scope, resource);
}

/** What users can do something about. All else is tried again, and passes. */
function problemOf({ kind }: Resource, error: unknown): Problem | undefined {
  if (error instanceof ForeignObjectError) return foreignProblem(kind, error);
  if (!isRefusal(error)) return undefined;
  return { reason: reasons.applyFailed, message: `${kind}: ${error.status.message}` };
}

/** Whether the API server will not have a child as it is: the next one may still pass. */
export function isRefusal(error: unknown): error is InvalidError | ForbiddenError | BadRequestError {
  return error instanceof InvalidError || error instanceof ForbiddenError || error instanceof BadRequestError;
}

function foreignProblem(kind: string, { key, controller, isDeleting }: ForeignObjectError): Problem {
  const what = `${kind} ${key.name}`;
  if (isDeleting)
    return {
      reason: reasons.waitingForDeletion,
      message: `${what} is being deleted; it is made anew when it is gone`,
    };
  const whose =
    controller === undefined ? "is not the WebApp's" : `belongs to ${controller.kind} ${controller.name}`;
  return {
    reason: reasons.nameTaken,
    message: `${what} is there already and ${whose}; delete or rename it, or rename the WebApp`,
  };
}
