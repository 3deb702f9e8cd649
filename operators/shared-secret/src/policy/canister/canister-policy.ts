import type { Clock, Logger } from "keelson";
import { sleep } from "keelson/low-level";
import { formatConsumer } from "../../api/consumer.ts";
import type { Policy, SecretKey, SecretPolicy } from "../policy.ts";
import { checkCanisterId, checkHost, checkRootKey } from "./canister-address.ts";
import { callFor } from "./canister-call.ts";
import type { CanisterClient } from "./canister-client.ts";
import { type CanisterDecisions, decisionsOf, secretIdOf, unknownSecret } from "./canister-decisions.ts";
import type { Fetch } from "./exchange.ts";
import { parseIdentityKey } from "./identity-key.ts";
import { type DeniedRequest, OwnRequests } from "./own-requests.ts";
import { SharedFetch } from "./shared-fetch.ts";

export interface CanisterPolicyOptions {
  /** A host of the network, such as `https://icp-api.io`. It need not be trusted. */
  readonly host: string;
  readonly canisterId: string;
  /** The public key of the network, in DER. Default: that of the main network of the Internet Computer. */
  readonly rootKey?: Uint8Array | undefined;
  /** The private key that requests are signed with, in PEM. */
  readonly identity: string;
  /** How often decisions are to be read again. */
  readonly pollMs: number;
  readonly fetch: Fetch;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Decisions are used for at most so long after they were received. */
const mostAgeMs = 5_000;

/** Nodes of the network are a moment apart; after so long one is asked again, which may be another one. */
const behindDelayMs = 500;

/**
 * Decisions that are made in a canister of the Internet Computer. Everything read is proven by a certificate of the network
 * that is at most 5 s old. Throws an InvalidCanisterSettingError if the options cannot be used.
 */
export function canisterPolicy(options: CanisterPolicyOptions): Policy {
  const { canisterId, clock, log, pollMs } = options;
  const loadClient = clientLoader(options);
  const report = unreadableReporter(log);
  const own = new OwnRequests();
  /** Decisions that the network certified before do not count: they lack our last request, or a decision that is known. */
  let leastCertifiedMs = 0;

  const fetchDecisions = async (signal: AbortSignal): Promise<CanisterDecisions> => {
    const client = await loadClient();
    for (;;) {
      const { lists, certifiedMs } = await client.read(signal);
      if (certifiedMs >= leastCertifiedMs) {
        leastCertifiedMs = certifiedMs;
        const decisions = decisionsOf(lists);
        report(decisions.unreadable);
        reportDenials(
          log,
          own.compare((id) => policyIn(decisions, id), clock.monotonicNow()),
        );
        return decisions;
      }
      await sleep(clock, behindDelayMs, signal);
    }
  };
  const maxAgeMs = Math.min(mostAgeMs, pollMs);
  const decisions = new SharedFetch({ fetch: fetchDecisions, maxAgeMs, clock });
  const read = async (secret: SecretKey, signal: AbortSignal): Promise<SecretPolicy> => {
    const id = secretIdOf(secret);
    return own.withDenials(id, policyIn(await decisions.get(signal), id), clock.monotonicNow());
  };

  return {
    pollMs,
    read,
    async request(secret, request, signal) {
      const call = callFor(secret, await read(secret, signal), request);
      if (call === undefined) return;
      try {
        const client = await loadClient();
        leastCertifiedMs = Math.max(leastCertifiedMs, await client.call(call, signal));
        own.add(secretIdOf(secret), request);
      } finally {
        decisions.drop();
      }
    },
    approvalHint(secret, request) {
      const subject = request.type === "Share" ? "secret" : `consumer ${formatConsumer(request.consumer)} of`;
      return `approve ${subject} ${secretIdOf(secret)} in the dashboard of canister ${canisterId}`;
    },
  };
}

function policyIn({ secrets }: CanisterDecisions, id: string): SecretPolicy {
  return secrets.get(id) ?? unknownSecret;
}

/** The SDK is loaded when it is first needed: most operators have no canister. */
function clientLoader(options: CanisterPolicyOptions): () => Promise<CanisterClient> {
  const { host, canisterId, rootKey, fetch, clock } = options;
  const checked = {
    ...{ fetch, clock },
    host: checkHost(host),
    canisterId: checkCanisterId(canisterId),
    rootKey: rootKey && checkRootKey(rootKey),
    identity: parseIdentityKey(options.identity),
  };
  let client: Promise<CanisterClient> | undefined;
  const load = async (): Promise<CanisterClient> => {
    const { CanisterClient } = await import("./canister-client.ts");
    return new CanisterClient(checked);
  };
  return () => {
    client ??= load();
    return client;
  };
}

/** Logs each consumer that cannot be understood once, for as long as the canister has it. */
function unreadableReporter(log: Logger): (unreadable: readonly string[]) => void {
  let reported: ReadonlySet<string> = new Set();
  return (unreadable) => {
    for (const consumer of unreadable) {
      if (!reported.has(consumer))
        log.warn("a consumer in the canister gets no access: its name or permission is not known", {
          consumer,
        });
    }
    reported = new Set(unreadable);
  };
}

function reportDenials(log: Logger, denied: readonly DeniedRequest[]): void {
  for (const { secretId, request, waitMs } of denied) {
    const what =
      request.type === "Share"
        ? { rotateSeconds: request.rotateSeconds }
        : { consumer: formatConsumer(request.consumer), permission: request.permission };
    log.info("a request is no longer in the canister and was not approved; it is made again later", {
      ...{ secret: secretId, waitMs },
      ...what,
    });
  }
}
