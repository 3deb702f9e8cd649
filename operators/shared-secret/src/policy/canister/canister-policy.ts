import type { Clock, Logger } from "keelson";
import { sleep } from "keelson/low-level";
import { formatConsumer } from "../../api/consumer.ts";
import type { Policy } from "../policy.ts";
import { checkCanisterId, checkHost, checkRootKey } from "./canister-address.ts";
import { callFor } from "./canister-call.ts";
import type { CanisterClient } from "./canister-client.ts";
import { type CanisterDecisions, decisionsOf, secretIdOf, unknownSecret } from "./canister-decisions.ts";
import type { Fetch } from "./exchange.ts";
import { parseIdentityKey } from "./identity-key.ts";
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

/** Decisions are used for so long after they were received. */
const maxAgeMs = 5_000;

/** Nodes of the network are a moment apart; after so long another one is asked for the result of our own request. */
const ownRequestDelayMs = 500;

/**
 * Decisions that are made in a canister of the Internet Computer. Everything read is proven by a certificate of the network
 * that is at most 5 s old. Throws an InvalidCanisterSettingError if the options cannot be used.
 */
export function canisterPolicy(options: CanisterPolicyOptions): Policy {
  const { canisterId, clock, log, pollMs } = options;
  const loadClient = clientLoader(options);
  const report = unreadableReporter(log);
  /** Decisions that the network certified before it certified our last request do not contain it. */
  let requestedMs = 0;

  const fetchDecisions = async (signal: AbortSignal): Promise<CanisterDecisions> => {
    const client = await loadClient();
    for (;;) {
      const { lists, certifiedMs } = await client.read(signal);
      if (certifiedMs >= requestedMs) {
        const decisions = decisionsOf(lists);
        report(decisions.unreadable);
        return decisions;
      }
      await sleep(clock, ownRequestDelayMs, signal);
    }
  };
  const decisions = new SharedFetch({ fetch: fetchDecisions, maxAgeMs, clock });

  return {
    pollMs,
    async read(secret, signal) {
      const { secrets } = await decisions.get(signal);
      return secrets.get(secretIdOf(secret)) ?? unknownSecret;
    },
    async request(secret, request, signal) {
      const { secrets } = await decisions.get(signal);
      const call = callFor(secret, secrets.get(secretIdOf(secret)) ?? unknownSecret, request);
      if (call === undefined) return;
      try {
        const client = await loadClient();
        requestedMs = Math.max(requestedMs, await client.call(call, signal));
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
