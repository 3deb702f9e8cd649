import { isIPv6 } from "node:net";
import { InvalidWebhookError } from "./errors.ts";

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** How long certificates are valid, and how long authorities overlap. */
export interface RotationRules {
  /** Default 365 days. */
  readonly authorityLifeMs: number;
  /** Default 90 days; at most a third of an authority's. */
  readonly leafLifeMs: number;
  /**
   * How long a new authority is trusted before it signs, and an old one after it has stopped: the time in which a change
   * reaches every API server and every replica. Default 1 h; at most a sixth of an authority's life.
   */
  readonly overlapMs: number;
}

export const defaultRotationRules: RotationRules = {
  authorityLifeMs: 365 * dayMs,
  leafLifeMs: 90 * dayMs,
  overlapMs: hourMs,
};

/** Throws an InvalidWebhookError for rules with which an authority could expire while it is needed. */
export function checkRotationRules({ authorityLifeMs, leafLifeMs, overlapMs }: RotationRules): void {
  const fail = (problem: string) => new InvalidWebhookError("manage certificates", problem);
  if (!(leafLifeMs > 0 && overlapMs > 0)) throw fail("leafLifeMs and overlapMs must be more than 0");
  if (leafLifeMs * 3 > authorityLifeMs) throw fail("leafLifeMs is more than a third of authorityLifeMs");
  if (overlapMs * 6 > authorityLifeMs) throw fail("overlapMs is more than a sixth of authorityLifeMs");
}

/** When a certificate is valid. */
export interface Validity {
  readonly notBeforeMs: number;
  readonly notAfterMs: number;
}

/**
 * The certificates that exist. All three authorities are trusted.
 *
 *     signer A   ─────────────────── 2/3 ──┬──────────┐
 *     next B                     introduced ─ overlap ─┴ signs from here, a new leaf first
 *     previous A                                       └─ overlap ─ dropped
 */
export interface RotationState {
  readonly signer: Validity;
  readonly next: (Validity & { readonly introducedAtMs: number }) | undefined;
  readonly previous: { readonly retiredAtMs: number } | undefined;
  readonly leaf: Validity & { readonly hosts: readonly string[] };
}

/**
 * - `create`: issue a new authority and a new leaf; existing ones are of no use.
 * - `introduce`: issue a second authority, which is trusted and does not sign yet.
 * - `switch`: the second authority becomes the signer, and signs a new leaf.
 * - `retire`: the previous authority is no longer trusted.
 * - `renew`: the signer signs a new leaf.
 * - `redate`: an overlap that starts in the future, by the clock of another replica, starts now.
 */
export type RotationStep = "create" | "introduce" | "switch" | "retire" | "renew" | "redate" | "none";

/** The step that is due. One at a time: trust must reach every API server before the next. */
export function planRotation(
  state: RotationState | undefined,
  { hosts, overlapMs }: Pick<RotationRules, "overlapMs"> & { readonly hosts: readonly string[] },
  nowMs: number,
): RotationStep {
  if (state === undefined) return "create";
  const { signer, next, previous, leaf } = state;
  if (!isValidAt(nowMs, signer)) {
    // No replica ran for months, or a clock was ahead. An authority that is trusted already can sign at once; otherwise
    // no certificate in use is worth an overlap.
    return next !== undefined && isValidAt(nowMs, next) ? "switch" : "create";
  }
  if (!isValidAt(nowMs, leaf) || !sameHosts(leaf.hosts, hosts)) return "renew";
  if (next !== undefined && !isValidAt(nowMs, next)) return "introduce";
  if (startsLater(nowMs, next?.introducedAtMs) || startsLater(nowMs, previous?.retiredAtMs)) return "redate";
  if (next !== undefined && nowMs >= next.introducedAtMs + overlapMs) return "switch";
  if (previous !== undefined && nowMs >= previous.retiredAtMs + overlapMs) return "retire";
  if (next === undefined && nowMs >= twoThirds(signer)) return "introduce";
  return nowMs >= twoThirds(leaf) ? "renew" : "none";
}

/** When the next step is due, unless the hosts change. */
export function nextRotationAt(
  { signer, next, previous, leaf }: RotationState,
  { overlapMs }: Pick<RotationRules, "overlapMs">,
): number {
  return Math.min(
    twoThirds(leaf),
    next === undefined ? twoThirds(signer) : next.introducedAtMs + overlapMs,
    previous === undefined ? Number.POSITIVE_INFINITY : previous.retiredAtMs + overlapMs,
  );
}

/**
 * Whether a certificate is not valid yet. Certificates are backdated by more than synchronized clocks differ, so it comes
 * from a replica whose clock was ahead, and the API server would refuse it until then.
 */
export function isAheadOf(nowMs: number, { signer, next, leaf }: RotationState): boolean {
  return [signer, next, leaf].some((each) => startsLater(nowMs, each?.notBeforeMs));
}

function isValidAt(nowMs: number, { notBeforeMs, notAfterMs }: Validity): boolean {
  return nowMs >= notBeforeMs && nowMs < notAfterMs;
}

function startsLater(nowMs: number, ms: number | undefined): boolean {
  return ms !== undefined && ms > nowMs;
}

function twoThirds({ notBeforeMs, notAfterMs }: Validity): number {
  return notBeforeMs + ((notAfterMs - notBeforeMs) * 2) / 3;
}

function sameHosts(one: readonly string[], other: readonly string[]): boolean {
  const left = new Set(one.map(plainHost));
  const right = new Set(other.map(plainHost));
  return left.size === right.size && [...left].every((host) => right.has(host));
}

/** The canonical form of a host: names in lower case, and IPv6 addresses in their shortest form. */
export function plainHost(host: string): string {
  if (!isIPv6(host)) return host.toLowerCase();
  const withoutZone = host.replace(/%.*$/, "");
  return new URL(`http://[${withoutZone}]`).hostname.slice(1, -1);
}
