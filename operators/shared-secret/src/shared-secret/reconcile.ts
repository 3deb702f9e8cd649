import { mergePatch, type ObjectContext, type ReconcileResult, type Stored } from "keelson";
import { toError } from "keelson/low-level";
import { fieldOwner } from "../api/names.ts";
import { SharedSecret } from "../api/shared-secret.ts";
import { rotateSecondsOf } from "../api/spec.ts";
import type { ConsumerStatus, SharedSecretStatus } from "../api/status.ts";
import type { SecretPolicy } from "../policy/policy.ts";
import { type ConsumerPod, podsAskingFor } from "../restart/consumer-pods.ts";
import { progressMs } from "../restart/restart-target.ts";
import { ensureSecret } from "../secret/own-secret.ts";
import { approvedConsumers } from "./consumers.ts";
import { correctionWaitMs, correctPods } from "./correct-pods.ts";
import { recordCorrections, recordDecisions, recordRequest, recordRound } from "./events.ts";
import { grantAccess } from "./grants.ts";
import type { SharedSecretParts } from "./parts.ts";
import { type Problem, problemOf } from "./problem.ts";
import { missingRequests } from "./requests.ts";
import { clearFlag, restartConsumers } from "./restart-consumers.ts";
import type { NextRound } from "./restart-round.ts";
import { statusOf, statusWithProblem } from "./status.ts";

type Context = ObjectContext<SharedSecret>;

/**
 * Brings what belongs to a SharedSecret to what the policy says: its Secret, the copies and accounts of its consumers, the
 * decisions in its status, which the webhook reads, and then the pods that have something else than they are allowed to, or
 * an earlier value. If the policy is not known, nothing of this changes.
 */
export async function reconcileSharedSecret(
  context: Context,
  parts: SharedSecretParts,
): Promise<ReconcileResult> {
  if (await overrideFields(context)) return { requeueAfterMs: 1 };
  try {
    return await reconcileDecisions(context, parts);
  } catch (error) {
    const problem = problemOf(error);
    if (problem !== undefined && !context.signal.aborted) await showProblem(context, parts, problem);
    throw error;
  }
}

/** Before the first reconcile nothing in a SharedSecret counts but its spec. */
function isNew({ status }: Stored<SharedSecret>): boolean {
  return status?.observedGeneration === undefined;
}

/**
 * Overrides the fields that belong to the operator: on creation the flag, which would otherwise restart consumers of a
 * secret that has no value yet, and at any time the name of the Secret. True if it changed something.
 */
async function overrideFields({ object, client }: Context): Promise<boolean> {
  const isFlagged = isNew(object) && object.podsRestartRequired;
  if (object.secret === "" && !isFlagged) return false;
  const { namespace, name, uid } = object.metadata;
  const fields = { secret: "", ...(isFlagged && { podsRestartRequired: false }) };
  const patch = mergePatch({ metadata: { uid }, ...fields });
  await client.patch(SharedSecret, { namespace, name }, patch, { fieldOwner });
  return true;
}

async function reconcileDecisions(context: Context, parts: SharedSecretParts): Promise<ReconcileResult> {
  const { object, client, key, clock } = context;
  const status = isNew(object) ? undefined : object.status;
  const secret = await ensureSecret(context, parts.randomBytes);
  const pods = await podsAskingFor(client, object.metadata);
  const policy = await decisionsOf(context, parts, pods);
  const { namespaces } = parts;
  const approved = approvedConsumers(policy, status);
  const consumers = await grantAccess(context, { secret, approved, pods, namespaces });
  const version = secret.version ?? "";
  const next = parts.rounds.next(object.metadata.uid, {
    ...{ status, version, nowMs: clock.now() },
    isFlagged: object.podsRestartRequired,
  });
  const show = (entries: readonly ConsumerStatus[], round: NextRound): Promise<SharedSecretStatus> =>
    writeStatus(context, parts, { policy, consumers: entries, next: round, version });
  const entries = consumers.map(({ entry }) => entry);
  // The webhook sees the decisions from here on, so that pods that are started now are right.
  const begun = await show(entries, next);
  recordDecisions(context, begun);
  recordRound(context, status, begun);
  const corrections = await correctPods(context, parts.corrections, begun, pods);
  recordCorrections(context, corrections);
  const waits = [parts.policyOf(client).pollMs, correctionWaitMs(corrections)];
  let last = begun;
  if (next.type === "round") {
    const step = await restartConsumers(context, parts.metrics, consumers, next.round);
    const hasEnded = step.waitMs === undefined && (await clearFlag(context));
    last = await show(step.entries, hasEnded ? { type: "none" } : next);
    recordRound(context, begun, last);
    if (!hasEnded) waits.push(step.waitMs ?? progressMs);
  }
  if (next.type === "later") waits.push(Math.max(1, next.atMs - clock.now()));
  parts.metrics.show(key, last);
  const soonestMs = Math.min(...waits.filter((ms) => ms !== undefined));
  return Number.isFinite(soonestMs) ? { requeueAfterMs: soonestMs } : undefined;
}

/** What the policy says, after what is missing was requested. */
async function decisionsOf(
  context: Context,
  parts: SharedSecretParts,
  pods: readonly ConsumerPod[],
): Promise<SecretPolicy> {
  const { object, client, signal } = context;
  const { namespace, name } = object.metadata;
  const secret = { namespace, name };
  const policy = parts.policyOf(client);
  const said = await policy.read(secret, signal);
  const requests = missingRequests(secret, said, { rotateSeconds: rotateSecondsOf(object.spec), pods });
  for (const request of requests) {
    await policy.request(secret, request, signal);
    recordRequest(context, policy, request);
  }
  return requests.length === 0 ? said : policy.read(secret, signal);
}

async function writeStatus(
  { object, clock, setStatus }: Context,
  { rotators }: SharedSecretParts,
  facts: Pick<Parameters<typeof statusOf>[1], "policy" | "consumers" | "next" | "version">,
): Promise<SharedSecretStatus> {
  const status = statusOf(object, { ...facts, rotators, nowMs: clock.now() });
  await setStatus(status);
  return status;
}

/** Shows why the reconcile failed; the error is the cause also if the status cannot be written. */
async function showProblem(context: Context, parts: SharedSecretParts, problem: Problem): Promise<void> {
  const { object, setStatus, event, key, clock, log } = context;
  const status = statusWithProblem(object, problem, clock.now());
  try {
    if (await setStatus(status)) event("Warning", problem.reason, problem.message);
  } catch (second) {
    log.warn("the status could not be written either", { error: toError(second) });
  }
  parts.metrics.show(key, status);
}
