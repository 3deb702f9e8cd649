import {
  ApiError,
  type ApplyConfiguration,
  BadRequestError,
  deepEqual,
  ForbiddenError,
  ForeignObjectError,
  InvalidError,
  type KubeObject,
  type Resource,
  type Stored,
} from "keelson";
import { TooLargeError } from "keelson/client";
import { reasons } from "../api/reasons.ts";
import { recordApplied, recordRemoved } from "./events.ts";
import type { Problem, Scope } from "./scope.ts";

/**
 * Brings one owned object to the desired state, and returns it. A foreign object is left as it is, and undefined is
 * returned. Throws what else keeps it from being applied. What users can do something about becomes a problem of the scope.
 */
export async function applyOwnedObject<T extends KubeObject>(
  scope: Scope,
  resource: Resource<T>,
  desired: ApplyConfiguration<T>,
): Promise<Stored<T> | undefined> {
  const { apply, find } = scope.context;
  const before = await find(resource, scope.webapp.metadata.name);
  try {
    const applied = await apply(resource, desired);
    // Where a webhook overrules the desired state, an apply may leave the object as it was.
    if (!hasSameContent(before, applied)) recordApplied(scope, resource, before, applied);
    return applied;
  } catch (error) {
    const problem = problemOf(resource, error);
    if (problem !== undefined) scope.problems.push(problem);
    if (error instanceof ForeignObjectError) return undefined;
    throw error;
  }
}

function hasSameContent(before: KubeObject | undefined, after: KubeObject): boolean {
  return before !== undefined && deepEqual(contentOf(before), contentOf(after));
}

/** Without what the server records: an apply that changes nothing may still be recorded as the last one. */
function contentOf({ metadata, ...rest }: KubeObject): object {
  const { resourceVersion: _, managedFields: __, ...kept } = metadata;
  return { ...rest, status: undefined, metadata: kept };
}

/** Deletes an owned object that is no longer desired. A foreign object stays. */
export async function removeOwnedObject<T extends KubeObject>(
  scope: Scope,
  resource: Resource<T>,
): Promise<void> {
  const { context, webapp } = scope;
  if (await context.remove(resource, webapp.metadata.name)) recordRemoved(scope, resource);
}

/** What users can do something about. Other errors are retried. */
function problemOf({ kind }: Resource, error: unknown): Problem | undefined {
  if (error instanceof ForeignObjectError) return foreignProblem(kind, error);
  if (!isRefusal(error)) return undefined;
  return { reason: reasons.applyFailed, message: `${kind}: ${error.status.message}` };
}

const refusals = [InvalidError, ForbiddenError, BadRequestError, TooLargeError];

/**
 * Whether the API server refuses an object as it is, or fails because of it, as when a webhook for it cannot be reached: the
 * next one may still pass.
 */
export function isRefusal(error: unknown): error is ApiError {
  if (!(error instanceof ApiError)) return false;
  return error.status.code === 500 || refusals.some((refusal) => error instanceof refusal);
}

function foreignProblem(kind: string, { key, controller, isDeleting }: ForeignObjectError): Problem {
  const object = `${kind} ${key.name}`;
  if (isDeleting)
    return {
      reason: reasons.waitingForDeletion,
      message: `${object} is being deleted; it is created again once it is deleted`,
    };
  const owner =
    controller === undefined
      ? "the WebApp does not own it"
      : `${controller.kind} ${controller.name} controls it`;
  return {
    reason: reasons.nameTaken,
    message: `${object} exists already and ${owner}; delete or rename it, or rename the WebApp`,
  };
}
