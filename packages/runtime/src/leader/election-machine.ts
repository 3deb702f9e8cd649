import type { Lease } from "@keelson/core/kinds/coordination/v1";
import type { ElectionRules } from "./election-rules.ts";
import { formatMicroTime, isSameRecord, type LeaseRecord, recordOf, specOf } from "./lease-record.ts";

/** What a replica keeps from one try to the next. */
export interface ElectionMemory {
  /** The Lease as it was last seen or written; undefined before that. */
  readonly lease?: Lease;
  /** When its record was last seen to change, by the local monotonic clock [LE3]. Meaningless without a lease. */
  readonly changedAtMs: number;
}

export const nothingSeen: ElectionMemory = { changedAtMs: 0 };

/** The time of a step, and the rules of the replica that makes it. */
export interface ElectionMoment {
  readonly nowMs: number;
  /** The wall time, which the Lease shows to users. */
  readonly wallMs: number;
  readonly rules: ElectionRules;
}

/** The next request to the API server. */
export type ElectionRequest =
  | { readonly type: "get" }
  | { readonly type: "create"; readonly lease: Lease }
  /** `isFast`: sent without reading the newest Lease first, which is enough while no other replica writes it. */
  | { readonly type: "update"; readonly lease: Lease; readonly isFast: boolean };

/** The result of a request. An election treats a conflict, a refusal and a missing response alike [LE9]. */
export type ElectionResponse =
  | { readonly type: "lease"; readonly lease: Lease }
  | { readonly type: "notFound" }
  | { readonly type: "failed" };

/** How a try ended. */
export type TryOutcome =
  /** This replica holds the Lease and has just renewed it. */
  | { readonly type: "held" }
  | { readonly type: "heldByOther"; readonly holder: string }
  | { readonly type: "failed" };

export interface ElectionStep {
  readonly memory: ElectionMemory;
  readonly next: ElectionRequest | TryOutcome;
}

/** The identity of the leader in the Lease that was last seen; empty if there is no leader. */
export function holderIn({ lease }: ElectionMemory): string {
  return lease === undefined ? "" : recordOf(lease).holder;
}

/**
 * Begins a try: the leader updates the Lease at once, every other replica reads it first [LE4].
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

/** Continues a try after the response to one of its requests. */
export function continueTry(
  memory: ElectionMemory,
  { request, response }: { readonly request: ElectionRequest; readonly response: ElectionResponse },
  at: ElectionMoment,
): ElectionStep {
  if (request.type === "get") return afterGet(memory, response, at);
  if (response.type === "lease")
    return { memory: { lease: response.lease, changedAtMs: at.nowMs }, next: { type: "held" } };
  if (request.type === "update" && request.isFast) return { memory, next: { type: "get" } };
  return { memory, next: { type: "failed" } };
}

function afterGet(memory: ElectionMemory, response: ElectionResponse, at: ElectionMoment): ElectionStep {
  switch (response.type) {
    case "failed":
      return { memory, next: { type: "failed" } };
    case "notFound":
      return { memory, next: { type: "create", lease: newLease(at) } };
    case "lease": {
      const { lease } = response;
      const seen = observe(memory, lease, at);
      const holder = holderIn(seen);
      if (holder === at.rules.identity)
        return { memory: seen, next: { type: "update", lease: renewed(lease, at), isFast: false } };
      if (holder !== "" && isValid(seen, lease, at))
        return { memory: seen, next: { type: "heldByOther", holder } };
      return { memory: seen, next: { type: "update", lease: takenOver(lease, at), isFast: false } };
    }
  }
}

/** A changed record restarts the local timer; an unchanged record does not. */
function observe(memory: ElectionMemory, lease: Lease, at: ElectionMoment): ElectionMemory {
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

/** The Lease with this replica as its holder and with the changes; the rest of the record stays. */
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

/** The Lease without a holder [LE8]. The short duration is for replicas that wait for it to expire even so. */
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
