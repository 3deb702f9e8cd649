import { isIPv6 } from "node:net";
import { InvalidWebhookError } from "./errors.ts";

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** How long things live. */
export interface RotationRules {
  /** Default 365 days. */
  readonly authorityLifeMs: number;
  /** Default 90 days; at most a third of an authority's. */
  readonly leafLifeMs: number;
  /**
   * How long a new authority is trusted before it signs, and an old one after it has stopped: the time in which every
   * API server and every replica has heard of a change. Default 1 h; at most a sixth of an authority's life.
   */
  readonly overlapMs: number;
}

export const defaultRotationRules: RotationRules = {
  authorityLifeMs: 365 * dayMs,
  leafLifeMs: 90 * dayMs,
  overlapMs: hourMs,
};

/** With other rules an authority could run out while it is needed. */
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
 * What there is. Trusted are all three authorities.
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
 * - `create`: an authority and a leaf, from nothing; what there was, if anything, is of no use any more.
 * - `introduce`: a second authority, which is trusted and does not sign.
 * - `switch`: it becomes the signer, and signs a new leaf.
 * - `retire`: the one before it is not trusted any more.
 * - `renew`: the signer signs a new leaf.
 * - `redate`: an overlap that began in the future, by the clock of another replica, begins now.
 */
export type RotationStep = "create" | "introduce" | "switch" | "retire" | "renew" | "redate" | "none";

/** What is to be done now. One step at a time: trust must have spread before the next. */
export function planRotation(
  state: RotationState | undefined,
  { hosts, overlapMs }: Pick<RotationRules, "overlapMs"> & { readonly hosts: readonly string[] },
  nowMs: number,
): RotationStep {
  if (state === undefined) return "create";
  const { signer, next, previous, leaf } = state;
  if (!isValidAt(nowMs, signer)) {
    // All were asleep for months, or a clock was ahead. What is trusted already serves at once; otherwise there is
    // nothing to be gentle with.
    return next !== undefined && isValidAt(nowMs, next) ? "switch" : "create";
  }
  if (!isValidAt(nowMs, leaf) || !sameHosts(leaf.hosts, hosts)) return "renew";
  if (next !== undefined && !isValidAt(nowMs, next)) return "introduce";
  if (beginsLater(nowMs, next?.introducedAtMs) || beginsLater(nowMs, previous?.retiredAtMs)) return "redate";
  if (next !== undefined && nowMs >= next.introducedAtMs + overlapMs) return "switch";
  if (previous !== undefined && nowMs >= previous.retiredAtMs + overlapMs) return "retire";
  if (next === undefined && nowMs >= twoThirds(signer)) return "introduce";
  return nowMs >= twoThirds(leaf) ? "renew" : "none";
}

/** When something is to be done next, if nobody changes the hosts. */
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
 * Whether something of it is not valid yet. Issuing dates back by more than honest clocks differ, so a replica has made
 * it whose clock was ahead, and callers would refuse it until then.
 */
export function isAheadOf(nowMs: number, { signer, next, leaf }: RotationState): boolean {
  return [signer, next, leaf].some((each) => beginsLater(nowMs, each?.notBeforeMs));
}

function isValidAt(nowMs: number, { notBeforeMs, notAfterMs }: Validity): boolean {
  return nowMs >= notBeforeMs && nowMs < notAfterMs;
}

function beginsLater(nowMs: number, ms: number | undefined): boolean {
  return ms !== undefined && ms > nowMs;
}

function twoThirds({ notBeforeMs, notAfterMs }: Validity): number {
  return notBeforeMs + ((notAfterMs - notBeforeMs) * 2) / 3;
}

function sameHosts(one: readonly string[], other: readonly string[]): boolean {
  const hosts = new Set(other.map(plainHost));
  const others = new Set(one.map(plainHost));
  return hosts.size === others.size && [...others].every((host) => hosts.has(host));
}

/** One text for each host: names in lower case, and IPv6 addresses, which have many forms, in their shortest. */
export function plainHost(host: string): string {
  if (!isIPv6(host)) return host.toLowerCase();
  const withoutZone = host.replace(/%.*$/, "");
  return new URL(`http://[${withoutZone}]`).hostname.slice(1, -1);
}
