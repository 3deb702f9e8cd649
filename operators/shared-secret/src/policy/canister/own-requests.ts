import { formatConsumer } from "../../api/consumer.ts";
import type { ConsumerPolicy, PolicyRequest, SecretPolicy } from "../policy.ts";

/** How long a request that was denied for the first time is not made again; twice as long each time after that. */
const firstWaitMs = 300_000;
const longestWaitMs = 24 * 3_600_000;

interface OwnRequest {
  readonly request: PolicyRequest;
  /** How often it was denied. */
  readonly denials: number;
  /** Until when it is not made again; undefined while it waits for a decision. */
  readonly deniedUntilMs: number | undefined;
}

/** A request that is no longer made for a while. */
export interface DeniedRequest {
  /** The id of the secret in the canister. */
  readonly secretId: string;
  readonly request: PolicyRequest;
  readonly waitMs: number;
}

/**
 * The requests of this process, so that what a person denies is not requested again at once. A canister knows no denials: a
 * request that is neither pending nor approved any more was denied. Times are those of a monotonic clock.
 */
export class OwnRequests {
  /** By the id of the secret, then by what is requested. */
  readonly #requests = new Map<string, Map<string, OwnRequest>>();

  /** A request was made. */
  add(secretId: string, request: PolicyRequest): void {
    const ofSecret = this.#requests.get(secretId) ?? new Map<string, OwnRequest>();
    this.#requests.set(secretId, ofSecret);
    const key = keyOf(request);
    const before = ofSecret.get(key);
    const denials = before !== undefined && isSame(before.request, request) ? before.denials : 0;
    ofSecret.set(key, { request, denials, deniedUntilMs: undefined });
  }

  /** Compares the requests with what the canister says, which must not be older than they are. Returns those just denied. */
  compare(policyOf: (secretId: string) => SecretPolicy, nowMs: number): readonly DeniedRequest[] {
    const denied: DeniedRequest[] = [];
    for (const [secretId, ofSecret] of this.#requests) {
      const policy = policyOf(secretId);
      for (const [key, own] of ofSecret) {
        const next = after(own, policy, nowMs);
        if (next === undefined) ofSecret.delete(key);
        else ofSecret.set(key, next);
        if (next?.deniedUntilMs !== undefined && own.deniedUntilMs === undefined)
          denied.push({ secretId, request: own.request, waitMs: next.deniedUntilMs - nowMs });
      }
      if (ofSecret.size === 0) this.#requests.delete(secretId);
    }
    return denied;
  }

  /** What the canister says about a secret, with the requests that it has denied and that are not made again yet. */
  withDenials(secretId: string, policy: SecretPolicy, nowMs: number): SecretPolicy {
    const denied = [...(this.#requests.get(secretId)?.values() ?? [])]
      .filter(({ deniedUntilMs = 0 }) => nowMs < deniedUntilMs)
      .map(({ request }) => request);
    if (denied.length === 0) return policy;
    return {
      ...policy,
      refusedRotateSeconds: denied.flatMap((each) => (each.type === "Share" ? [each.rotateSeconds] : [])),
      consumers: [...policy.consumers, ...denied.flatMap(refusedConsumer)],
    };
  }
}

/** What is known of a request after a look at the decisions; undefined if it need not be remembered any more. */
function after(own: OwnRequest, policy: SecretPolicy, nowMs: number): OwnRequest | undefined {
  const { request, denials, deniedUntilMs } = own;
  const state = stateOf(request, policy);
  if (state === "Approved") return undefined;
  if (state === "Pending") return { request, denials, deniedUntilMs: undefined };
  if (deniedUntilMs === undefined) {
    const waitMs = Math.min(firstWaitMs * 2 ** Math.min(denials, 20), longestWaitMs);
    return { request, denials: denials + 1, deniedUntilMs: nowMs + waitMs };
  }
  // It was not made again for so long: what asked for it does not exist any more.
  return nowMs < deniedUntilMs + longestWaitMs ? own : undefined;
}

function stateOf(request: PolicyRequest, policy: SecretPolicy): ConsumerPolicy["state"] | undefined {
  if (request.type === "Share") {
    if (policy.approval?.rotateSeconds === request.rotateSeconds) return "Approved";
    return policy.pendingRotateSeconds === request.rotateSeconds ? "Pending" : undefined;
  }
  const text = formatConsumer(request.consumer);
  return policy.consumers.find(
    ({ consumer, permission }) => permission === request.permission && formatConsumer(consumer) === text,
  )?.state;
}

function refusedConsumer(request: PolicyRequest): readonly ConsumerPolicy[] {
  if (request.type === "Share") return [];
  const { consumer, permission } = request;
  return [{ consumer, permission, state: "Refused" }];
}

/** Another rotation period replaces the one that was requested before. */
function keyOf(request: PolicyRequest): string {
  return request.type === "Share" ? "" : `${formatConsumer(request.consumer)} ${request.permission}`;
}

function isSame(one: PolicyRequest, other: PolicyRequest): boolean {
  return one.type !== "Share" || other.type !== "Share" || one.rotateSeconds === other.rotateSeconds;
}
