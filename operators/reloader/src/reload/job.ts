import {
  AlreadyExistsError,
  BadRequestError,
  type Client,
  ConflictError,
  ForbiddenError,
  find,
  type GenericObject,
  mergePatch,
  NotFoundError,
  type ObjectMeta,
  type OwnerReference,
  type Stored,
  TerminalError,
} from "keelson";
import { Job, type JobSpec } from "keelson/kinds/batch/v1";
import type { PodTemplateSpec } from "keelson/kinds/core/v1";
import { genericResource, isRecord } from "keelson/low-level";
import { formatJson, parseJson } from "keelson/object";
import type { AnnotationKeys } from "../api/annotation-keys.ts";
import { ReloadRecord, type ReloadRecordStatus } from "../api/reload-record.ts";
import type { ReloadContext, ReloadRequest } from "./reload-request.ts";
import { reloadedTemplate } from "./reloaded-template.ts";

/**
 * Begins to replace a Job, whose template cannot change, by another of the same name:
 *
 *   the record has the reload and recreatedJob, the successor → the record loses its owner → the Job is deleted → the successor is created
 *
 * Nothing is written if the server would refuse the successor. From the first write on, `continueRecreation` does the rest, however often the operator ends in between. The record would be
 * deleted with the Job if it were still owned by it.
 */
export async function beginRecreation(
  { client, liveClient, keys }: ReloadContext,
  request: ReloadRequest,
  record: Stored<ReloadRecord>,
  reloaded: ReloadRecordStatus,
): Promise<void> {
  const { namespace, name, uid } = request.workload.metadata;
  const job = await find(liveClient, Job, { namespace, name });
  // A Job that was deleted or replaced since it was read has no pods to reload.
  if (job?.metadata.uid !== uid || job.metadata.deletionTimestamp !== undefined) return;
  const successor = makeSuccessor(job, request, keys);
  await tryToCreate(client, successor);
  await client.status(ReloadRecord).patch(
    { namespace, name: record.metadata.name },
    mergePatch({
      metadata: { uid: record.metadata.uid },
      status: { ...reloaded, pending: null, lastError: null, recreatedJob: formatJson(successor) },
    }),
  );
}

/**
 * Throws if the server would refuse the Job, for instance because a policy is stricter than when its predecessor was
 * created. A quota that is used up by the predecessor is no reason, and neither is a webhook without dry runs.
 */
async function tryToCreate(client: Client, { metadata, spec }: Job): Promise<void> {
  const { name: _, ...rest } = metadata;
  const job = {
    metadata: { ...rest, generateName: `${metadata.name}-` },
    ...(spec !== undefined && { spec }),
  };
  try {
    await client.create(Job, job, { dryRun: true });
  } catch (error) {
    const isOverQuota = error instanceof ForbiddenError && error.message.includes("exceeded quota");
    if (!isOverQuota && !(error instanceof BadRequestError)) throw error;
  }
}

/**
 * Brings the recreation of a Job one step further; true when its successor, or another Job of the same name, exists.
 * The Job is deleted only after its pods have ended, so that the work is never done twice at once.
 */
export async function continueRecreation(
  { client, liveClient }: Pick<ReloadContext, "client" | "liveClient">,
  record: Stored<ReloadRecord>,
): Promise<boolean> {
  const { namespace, name: recordName, uid } = record.metadata;
  const key = { namespace, name: record.spec.name };
  const job = await find(liveClient, Job, key);
  if (job === undefined) return createSuccessor({ client }, record);
  if (job.metadata.uid !== record.spec.uid) return true;
  if (job.metadata.deletionTimestamp !== undefined) return false;
  if ((record.metadata.ownerReferences ?? []).length > 0) {
    const patch = mergePatch({ metadata: { uid, ownerReferences: null } });
    await client.patch(ReloadRecord, { namespace, name: recordName }, patch);
  }
  try {
    await client.delete(Job, key, {
      propagationPolicy: "Foreground",
      preconditions: { uid: job.metadata.uid },
    });
  } catch (error) {
    if (!(error instanceof NotFoundError) && !(error instanceof ConflictError)) throw error;
  }
  return false;
}

async function createSuccessor(
  { client }: Pick<ReloadContext, "client">,
  { metadata, spec, status }: Stored<ReloadRecord>,
): Promise<boolean> {
  const successor = status?.recreatedJob === undefined ? undefined : parseJson(status.recreatedJob);
  if (!isManifest(successor))
    throw new TerminalError(
      `recreate Job ${metadata.namespace}/${spec.name}: status.recreatedJob of ReloadRecord ${metadata.name} is no Job; ` +
        `delete the ReloadRecord`,
    );
  try {
    await client.create(genericResource(Job), successor);
    return true;
  } catch (error) {
    if (error instanceof AlreadyExistsError) return false;
    throw error;
  }
}

function isManifest(value: unknown): value is GenericObject {
  return isRecord(value) && value.kind === "Job" && isRecord(value.metadata);
}

/** Set by the server for the pods of one Job; its successor gets its own. */
const generatedLabels = new Set([
  "controller-uid",
  "job-name",
  "batch.kubernetes.io/controller-uid",
  "batch.kubernetes.io/job-name",
]);

/** The Job that replaces another: as the user wrote that one, with the template of the reload. */
export function makeSuccessor(
  { metadata, spec }: Stored<Job>,
  request: ReloadRequest,
  keys: AnnotationKeys,
): Job {
  const { namespace, name, labels, annotations, ownerReferences, finalizers } = metadata;
  return {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: {
      namespace,
      name,
      ...(labels !== undefined && { labels: withoutGenerated(labels) }),
      ...(annotations !== undefined && { annotations }),
      ...(ownerReferences !== undefined && { ownerReferences: ownerReferences.map(withoutBlock) }),
      ...(finalizers !== undefined && {
        finalizers: finalizers.filter((each) => !deletionFinalizers.has(each)),
      }),
    },
    ...(spec !== undefined && { spec: successorSpec(spec, request, keys) }),
  };
}

/** To block the deletion of an owner needs a permission for its kind that only the first creator of the Job has for sure. */
function withoutBlock({ blockOwnerDeletion: _, ...reference }: OwnerReference): OwnerReference {
  return reference;
}

/** Say how an object is deleted, and nothing about its successor. */
const deletionFinalizers = new Set(["foregroundDeletion", "orphan"]);

function successorSpec(spec: JobSpec, request: ReloadRequest, keys: AnnotationKeys): JobSpec {
  const { selector, template, ...rest } = spec;
  const own = withoutGeneratedLabels(template);
  return {
    ...rest,
    // A selector that the user did not choose names the uid of the Job.
    ...(spec.manualSelector === true && selector !== undefined && { selector }),
    template: request.strategy === "restart" ? own : reloadedTemplate(own, request, keys),
  };
}

function withoutGeneratedLabels(template: PodTemplateSpec): PodTemplateSpec {
  const labels = template.metadata?.labels;
  if (labels === undefined) return template;
  return { ...template, metadata: { ...template.metadata, labels: withoutGenerated(labels) } };
}

function withoutGenerated(labels: NonNullable<ObjectMeta["labels"]>): NonNullable<ObjectMeta["labels"]> {
  return Object.fromEntries(Object.entries(labels).filter(([name]) => !generatedLabels.has(name)));
}
