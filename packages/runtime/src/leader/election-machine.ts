import type { Lease } from "@keelson/core/kinds/coordination/v1";
import type { ElectionRules } from "./election-rules.ts";
import { formatMicroTime, isSameRecord, type LeaseRecord, recordOf, specOf } from "./lease-record.ts";

/** What a replica remembers from one try to the next. */
export interface ElectionMemory {
  /** The Lease as it was last seen or written; undefined before that. */
  readonly lease?: Lease;
  /** When its record was last seen to change, by the local monotonic clock [LE3]. Says nothing without a lease. */
  readonly changedAtMs: number;
}

export const nothingSeen: ElectionMemory = { changedAtMs: 0 };

/** When a step is made, and by whose rules. */
export interface ElectionMoment {
  readonly nowMs: number;
  /** The wall time, which is written for people to read. */
  readonly wallMs: number;
  readonly rules: ElectionRules;
}

/** What to ask of the API server next. */
export type ElectionRequest =
  | { readonly type: "get" }
  | { readonly type: "create"; readonly lease: Lease }
  /** `isFast`: made without a look at the newest Lease, as a leader does that nobody disturbs. */
  | { readonly type: "update"; readonly lease: Lease; readonly isFast: boolean };

/** What came of it. A conflict, a refusal and silence are all the same to an election [LE9]. */
export type ElectionAnswer =
  | { readonly type: "lease"; readonly lease: Lease }
  | { readonly type: "notFound" }
  | { readonly type: "failed" };

/** How a try ended. */
export type TryOutcome =
  /** The record is ours and new. */
  | { readonly type: "held" }
  | { readonly type: "heldByOther"; readonly holder: string }
  | { readonly type: "failed" };

export interface ElectionStep {
  readonly memory: ElectionMemory;
  readonly next: ElectionRequest | TryOutcome;
}

/** Who leads, as far as it is known; empty if nobody does. */
export function holderIn({ lease }: ElectionMemory): string {
  return lease === undefined ? "" : recordOf(lease).holder;
}

/**
 * A try begins: a leader writes at once what it expects to be right, all others look first [LE4].
 *
 *     update (fast) ──failed──▶ get ──404──▶ create
 *                                └──free, expired or mine──▶ update
 */
export function beginTry(memory: ElectionMemory, at: ElectionMoment): ElectionStep {
  const { lease } = memory;
  if (lease === undefined || holderIn(memory) !== at.rules.identity || !isValid(memory, lease, at))
    return { memory, next: { type: "get" } };
  return { memory, next: { type: "update", lease: renewed(lease, at), isFast: true } };
}

/** A request of the try was answered. */
export function continueTry(
  memory: ElectionMemory,
  { request, answer }: { readonly request: ElectionRequest; readonly answer: ElectionAnswer },
  at: ElectionMoment,
): ElectionStep {
  if (request.type === "get") return afterGet(memory, answer, at);
  if (answer.type === "lease")
    return { memory: { lease: answer.lease, changedAtMs: at.nowMs }, next: { type: "held" } };
  if (request.type === "update" && request.isFast) return { memory, next: { type: "get" } };
  return { memory, next: { type: "failed" } };
}

function afterGet(memory: ElectionMemory, answer: ElectionAnswer, at: ElectionMoment): ElectionStep {
  switch (answer.type) {
    case "failed":
      return { memory, next: { type: "failed" } };
    case "notFound":
      return { memory, next: { type: "create", lease: newLease(at) } };
    case "lease": {
      const { lease } = answer;
      const seen = look(memory, lease, at);
      const holder = holderIn(seen);
      if (holder === at.rules.identity)
        return { memory: seen, next: { type: "update", lease: renewed(lease, at), isFast: false } };
      if (holder !== "" && isValid(seen, lease, at))
        return { memory: seen, next: { type: "heldByOther", holder } };
      return { memory: seen, next: { type: "update", lease: takenOver(lease, at), isFast: false } };
    }
  }
}

/** A changed record starts the local timer anew; the same record seen again does not. */
function look(memory: ElectionMemory, lease: Lease, at: ElectionMoment): ElectionMemory {
  const isKnown = memory.lease !== undefined && isSameRecord(recordOf(memory.lease), recordOf(lease));
  return { lease, changedAtMs: isKnown ? memory.changedAtMs : at.nowMs };
}

function isValid({ changedAtMs }: ElectionMemory, lease: Lease, { nowMs }: ElectionMoment): boolean {
  return changedAtMs + recordOf(lease).durationSeconds * 1000 > nowMs;
}

function newLease(at: ElectionMoment): Lease {
  const { namespace, name } = at.rules.lease;
  const lease: Lease = {
    apiVersion: "coordination.k8s.io/v1",
    kind: "Lease",
    metadata: { namespace, name },
  };
  return withRecord(lease, { transitions: 0, acquireTime: formatMicroTime(at.wallMs) }, at);
}

function renewed(lease: Lease, at: ElectionMoment): Lease {
  return withRecord(lease, {}, at);
}

function takenOver(lease: Lease, at: ElectionMoment): Lease {
  const transitions = recordOf(lease).transitions + 1;
  return withRecord(lease, { transitions, acquireTime: formatMicroTime(at.wallMs) }, at);
}

/** The lease held by this replica, otherwise as it was but for the changes. */
function withRecord(lease: Lease, changes: Partial<LeaseRecord>, { rules, wallMs }: ElectionMoment): Lease {
  const record: LeaseRecord = {
    ...recordOf(lease),
    holder: rules.identity,
    durationSeconds: rules.leaseDurationMs / 1000,
    renewTime: formatMicroTime(wallMs),
    ...changes,
  };
  return { ...lease, spec: specOf(record) };
}

/** The lease with nobody in it [LE8]: the short duration is for successors that wait for it even so. */
export function released(lease: Lease, wallMs: number): Lease {
  const now = formatMicroTime(wallMs);
  const record: LeaseRecord = {
    ...recordOf(lease),
    holder: "",
    durationSeconds: 1,
    acquireTime: now,
    renewTime: now,
  };
  return { ...lease, spec: specOf(record) };
}
