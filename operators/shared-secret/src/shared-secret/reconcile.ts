import { mergePatch, type ObjectContext, type ReconcileResult, type Stored } from "keelson";
import { toError } from "keelson/low-level";
import { fieldOwner } from "../api/names.ts";
import { SharedSecret } from "../api/shared-secret.ts";
import { rotateSecondsOf } from "../api/spec.ts";
import type { ConsumerStatus, SharedSecretStatus } from "../api/status.ts";
import type { SecretPolicy } from "../policy/policy.ts";
import { type ConsumerPod, podsAskingFor } from "../restart/consumer-pods.ts";
import { ensureSecret } from "../secret/own-secret.ts";
import { approvedConsumers } from "./consumers.ts";
import { correctPods } from "./correct-pods.ts";
import { recordCorrections, recordDecisions, recordRequest, recordRound } from "./events.ts";
import { grantAccess } from "./grants.ts";
import type { SharedSecretParts } from "./parts.ts";
import { type Problem, problemOf } from "./problem.ts";
import { missingRequests } from "./requests.ts";
import { clearFlag, restartConsumers } from "./restart-consumers.ts";
import type { RestartDecision } from "./restart-round.ts";
import { statusOf, statusWithProblem } from "./status.ts";

type Context = ObjectContext<SharedSecret>;

/** While consumers are being restarted, their progress is looked at this often. It is in the cache. */
const progressMs = 1_000;

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
  const decision = parts.restarts.decide(object.metadata.uid, {
    ...{ status, version, nowMs: clock.now() },
    isFlagged: object.podsRestartRequired,
  });
  const show = (entries: readonly ConsumerStatus[], now: RestartDecision): Promise<SharedSecretStatus> =>
    writeStatus(context, parts, { policy, consumers: entries, decision: now, version });
  const entries = consumers.map(({ entry }) => entry);
  // The webhook sees the decisions from here on, so that pods that are started now are right.
  const begun = await show(entries, decision);
  recordDecisions(context, begun);
  recordRound(context, status, begun);
  const corrections = await correctPods(context, parts.corrections, begun, pods);
  recordCorrections(context, corrections);
  let last = begun;
  if (decision.type === "round") {
    const { entries: after, isDone } = await restartConsumers(
      context,
      parts.metrics,
      consumers,
      decision.round,
    );
    const hasEnded = isDone && (await clearFlag(context));
    last = await show(after, hasEnded ? { type: "none" } : decision);
    recordRound(context, begun, last);
  }
  parts.metrics.show(key, last);
  const isBusy = last.restart !== undefined || corrections.length > 0;
  return nextReconcile(isBusy, decision, { pollMs: parts.policyOf(client).pollMs, nowMs: clock.now() });
}

function nextReconcile(
  isBusy: boolean,
  decision: RestartDecision,
  { pollMs, nowMs }: { readonly pollMs: number | undefined; readonly nowMs: number },
): ReconcileResult {
  if (isBusy) return { requeueAfterMs: progressMs };
  const laterMs = decision.type === "later" ? Math.max(1, decision.atMs - nowMs) : undefined;
  const waits = [laterMs, pollMs].filter((ms) => ms !== undefined);
  return waits.length === 0 ? undefined : { requeueAfterMs: Math.min(...waits) };
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
  facts: Pick<Parameters<typeof statusOf>[1], "policy" | "consumers" | "decision" | "version">,
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
