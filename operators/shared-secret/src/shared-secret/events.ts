import type { ObjectContext } from "keelson";
import { formatConsumer } from "../api/consumer.ts";
import { EventReason } from "../api/reasons.ts";
import type { SharedSecret } from "../api/shared-secret.ts";
import type { ConsumerStatus, SharedSecretStatus } from "../api/status.ts";
import { type Policy, type PolicyRequest, requestText } from "../policy/policy.ts";
import { keyOfEntry } from "./consumers.ts";
import type { Correction } from "./correct-pods.ts";
import type { RestartedConsumer } from "./restart-consumers.ts";

type Context = ObjectContext<SharedSecret>;

/** That a request waits for a decision, and how to approve it. */
export function recordRequest({ event, object }: Context, policy: Policy, request: PolicyRequest): void {
  const { namespace, name } = object.metadata;
  const hint = policy.approvalHint({ namespace, name }, request);
  const text = requestText(`SharedSecret ${name}`, request);
  event("Normal", EventReason.AccessRequested, hint === undefined ? text : `${text}; to approve: ${hint}`);
}

/** Who has got access, and who has lost it. */
export function recordDecisions({ event, object }: Context, after: SharedSecretStatus): void {
  const { status: before } = object;
  if (after.approved === true && before?.approved !== true)
    event("Normal", EventReason.AccessApproved, "the policy lets the secret be shared");
  if (after.approved === false && before?.approved === true)
    event("Warning", EventReason.AccessRevoked, "the policy does not let the secret be shared any more");
  for (const entry of withoutThose(after.consumers, before?.consumers))
    event("Normal", EventReason.AccessApproved, `${entry.consumer} has got ${entry.permission} access`);
  for (const entry of withoutThose(before?.consumers, after.consumers))
    event("Warning", EventReason.AccessRevoked, `${entry.consumer} has lost its ${entry.permission} access`);
}

function withoutThose(
  entries: readonly ConsumerStatus[] = [],
  others: readonly ConsumerStatus[] = [],
): readonly ConsumerStatus[] {
  const known = new Set(others.map(keyOfEntry));
  return entries.filter((entry) => !known.has(keyOfEntry(entry)));
}

/** What was done to consumers in this reconcile, and what failed. */
export function recordRestarts({ event, log }: Context, results: readonly RestartedConsumer[]): void {
  for (const { entry, progress, hasTried } of results) {
    if (!hasTried) continue;
    if (progress.state === "acted") event("Normal", EventReason.ConsumerRestarted, progress.message);
    if (progress.state !== "failed") continue;
    log.warn("a consumer could not be restarted; it is tried again", {
      consumer: entry.consumer,
      problem: progress.message,
    });
    event("Warning", EventReason.RestartFailed, `${entry.consumer}: ${progress.message}`);
  }
}

/** Which workloads are restarted because of decisions about their access. */
export function recordCorrections({ event }: Context, corrections: readonly Correction[]): void {
  for (const { target, progress } of corrections) {
    const text = formatConsumer(target.consumer);
    if (progress.state === "acted")
      event("Normal", EventReason.ConsumerRestarted, `${text} is restarted, since its access has changed`);
    if (progress.state === "failed")
      event("Warning", EventReason.RestartFailed, `${text}: ${progress.message}`);
  }
}

/** Beginning and end of a restart of all read-only consumers. */
export function recordRound(
  { event }: Context,
  before: SharedSecretStatus | undefined,
  after: SharedSecretStatus,
): void {
  const { restart } = after;
  if (restart !== undefined && restart.startedAt !== before?.restart?.startedAt)
    event(
      "Normal",
      EventReason.RestartStarted,
      "the read-only consumers are restarted, to get the current value",
    );
  if (restart === undefined && before?.restart !== undefined)
    event("Normal", EventReason.RestartFinished, "all read-only consumers have the current value");
}
