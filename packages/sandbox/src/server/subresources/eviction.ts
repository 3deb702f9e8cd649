import { draft, formatTime, isRecord, matchesLabels } from "@keelson/core";
import { valueAt } from "../../resource/field-path.ts";
import { type GivenLabelSelector, usableSelector } from "../../resource/label-problems.ts";
import type { FieldSchema } from "../../schema/field-schema.ts";
import { ApiError, badRequest, notFound, plainError, staleVersion } from "../../status/api-error.ts";
import { type StoredObject, storeKey } from "../../store/store.ts";
import { decodePlainBody, type ExpectedKind } from "../body/decode-body.ts";
import { type WriteOptions, writeOptions } from "../options/write-options.ts";
import { type ApiRequest, nameOf } from "../request/api-request.ts";
import { type ApiResponse, successStatus, valueResponse } from "../response/response.ts";
import type { ServerDependencies } from "../server-dependencies.ts";

const open: FieldSchema = { type: "object", "x-kubernetes-preserve-unknown-fields": true };

const evictionKind: ExpectedKind = {
  group: "policy",
  version: "v1",
  kind: "Eviction",
  isCustom: false,
  schema: {
    type: "object",
    typeName: "v1.Eviction",
    properties: {
      apiVersion: { type: "string" },
      kind: { type: "string" },
      metadata: open,
      deleteOptions: open,
    },
  },
};

/** Deletes a Pod if its disruption budget allows it, and records the disruption in the budget. */
export async function handleEviction(
  dependencies: ServerDependencies,
  request: ApiRequest,
): Promise<ApiResponse> {
  const { resource, namespace, headers } = request;
  const name = nameOf(request);
  const options = writeOptions(request, "CreateOptions");
  const { fieldValidation, warn } = options;
  const body = await request.body();
  const contentType = headers["content-type"];
  const eviction = decodePlainBody(evictionKind, {
    registry: dependencies.registry,
    contentType,
    body,
    fieldValidation,
    warn,
  });
  if (valueAt(eviction, ".metadata.name") !== name) {
    throw badRequest("name in URL does not match name in Eviction object");
  }
  const pod = dependencies.reads.store.get(resource.collection, storeKey(namespace, name));
  if (pod === undefined) throw notFound(resource, name);
  const requested = isRecord(eviction.deleteOptions) ? eviction.deleteOptions : {};
  const dryRun = options.dryRun || (Array.isArray(requested.dryRun) && requested.dryRun.length > 0);
  const target = { resource, namespace, name, subresource: undefined };
  if (!isFree(pod)) await countDisruption(dependencies, pod, { ...options, dryRun });
  if (!dryRun) markDisrupted(dependencies, namespace, name);
  const { gracePeriodSeconds } = requested;
  await dependencies.writer.delete(target, {
    ...options,
    dryRun,
    ...(typeof gracePeriodSeconds === "number" && { gracePeriodSeconds }),
    preconditions: { uid: pod.metadata.uid },
  });
  return valueResponse({ format: "json", isPretty: false }, successStatus(201), 201);
}

/** Sets the DisruptionTarget condition, so that controllers such as Jobs can ignore this failure. */
function markDisrupted(
  { reads, clock }: ServerDependencies,
  namespace: string | undefined,
  name: string,
): void {
  const key = storeKey(namespace, name);
  const pod = reads.store.get("pods", key);
  const given = pod && valueAt(pod, ".status.conditions");
  const conditions = Array.isArray(given) ? given.filter(isRecord) : [];
  if (pod === undefined || conditions.some(isDisruption)) return;
  const next = draft(pod);
  const condition = {
    type: "DisruptionTarget",
    status: "True",
    lastProbeTime: null,
    lastTransitionTime: formatTime(clock.now()),
    reason: "EvictionByEvictionAPI",
    message: "Eviction API: evicting",
  };
  const kept = conditions.filter(({ type }) => type !== condition.type);
  next.status = { ...(isRecord(next.status) ? next.status : {}), conditions: [...kept, condition] };
  const expectedRevision = Number(pod.metadata.resourceVersion);
  reads.store.write({ collection: "pods", key, object: next, expectedRevision });
}

function isDisruption({ type, status, reason }: Readonly<Record<string, unknown>>): boolean {
  return type === "DisruptionTarget" && status === "True" && reason === "EvictionByEvictionAPI";
}

/** Whether evicting the Pod is no disruption: it is finished, pending or being deleted. */
function isFree(pod: StoredObject): boolean {
  const phase = valueAt(pod, ".status.phase");
  const hasEnded = phase === "Succeeded" || phase === "Failed" || phase === "Pending";
  return hasEnded || pod.metadata.deletionTimestamp !== undefined;
}

function isReady(pod: StoredObject): boolean {
  const conditions = valueAt(pod, ".status.conditions");
  return (
    Array.isArray(conditions) && conditions.some(({ type, status }) => type === "Ready" && status === "True")
  );
}

/** Records the disruption in the budget of the Pod. Throws ApiError if the budget does not allow it. */
async function countDisruption(
  dependencies: ServerDependencies,
  pod: StoredObject,
  options: WriteOptions,
): Promise<void> {
  for (;;) {
    const budget = budgetOf(dependencies, pod);
    if (budget === undefined || isExempt(pod, budget)) return;
    checkBudget(budget);
    if (options.dryRun) return;
    try {
      await writeDisruption(dependencies, pod, budget, options);
      return;
    } catch (error) {
      const isConflict = error instanceof ApiError && error.status.message?.includes(staleVersion) === true;
      if (!isConflict) throw error;
      options.signal.throwIfAborted();
    }
  }
}

function budgetOf({ registry, reads }: ServerDependencies, pod: StoredObject): StoredObject | undefined {
  const resource = registry.findStored("policy", "poddisruptionbudgets");
  const { namespace, labels } = pod.metadata;
  if (resource === undefined || namespace === undefined) return undefined;
  const budgets = reads.store.list(resource.collection, { namespace }).filter((budget) => {
    const selector = valueAt(budget, ".spec.selector");
    return isRecord(selector) && matchesLabels(usableSelector(asSelector(selector)), labels);
  });
  if (budgets.length > 1) {
    throw plainError(
      "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.",
    );
  }
  return budgets[0];
}

/** The schema of the kind has checked the selector before it was stored. */
function asSelector(selector: Readonly<Record<string, unknown>>): GivenLabelSelector {
  return selector as GivenLabelSelector;
}

/** A Pod that is not ready may be evicted while the budget is met, or always with the policy AlwaysAllow. */
function isExempt(pod: StoredObject, budget: StoredObject): boolean {
  if (isReady(pod)) return false;
  if (valueAt(budget, ".spec.unhealthyPodEvictionPolicy") === "AlwaysAllow") return true;
  const [current, desired] = [
    numberAt(budget, ".status.currentHealthy"),
    numberAt(budget, ".status.desiredHealthy"),
  ];
  return desired > 0 && current >= desired;
}

function checkBudget(budget: StoredObject): void {
  const { name, generation = 0 } = budget.metadata;
  if (numberAt(budget, ".status.observedGeneration") < generation) {
    throw disruptionRefused(`The disruption budget ${name} is still being processed by the server.`, 10);
  }
  if (numberAt(budget, ".status.disruptionsAllowed") > 0) return;
  const desired = numberAt(budget, ".status.desiredHealthy");
  const current = numberAt(budget, ".status.currentHealthy");
  throw disruptionRefused(
    `The disruption budget ${name} needs ${desired} healthy pods and has ${current} currently`,
  );
}

function disruptionRefused(message: string, retryAfterSeconds?: number): ApiError {
  return new ApiError({
    httpCode: 429,
    reason: "TooManyRequests",
    message: "Cannot evict pod as it would violate the pod's disruption budget.",
    details: {
      causes: [{ reason: "DisruptionBudget", message }],
      ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
    },
  });
}

async function writeDisruption(
  { registry, writer, clock }: ServerDependencies,
  pod: StoredObject,
  budget: StoredObject,
  options: WriteOptions,
): Promise<void> {
  const resource = registry.findStored("policy", "poddisruptionbudgets");
  const { name, namespace } = budget.metadata;
  if (resource === undefined) return;
  const next = draft(budget);
  const status = isRecord(next.status) ? next.status : {};
  const disruptedPods = isRecord(status.disruptedPods) ? status.disruptedPods : {};
  next.status = {
    ...status,
    disruptionsAllowed: numberAt(budget, ".status.disruptionsAllowed") - 1,
    disruptedPods: { ...disruptedPods, [pod.metadata.name]: formatTime(clock.now()) },
  };
  await writer.update({ resource, namespace, name, subresource: "status" }, next, options);
}

function numberAt(object: StoredObject, path: string): number {
  const value = valueAt(object, path);
  return typeof value === "number" ? value : 0;
}
