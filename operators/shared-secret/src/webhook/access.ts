import { formatKey, type Stored } from "keelson";
import { type Claimant, covers } from "../api/claimant.ts";
import { formatConsumer, includes, parseConsumer } from "../api/consumer.ts";
import type { SharedSecret } from "../api/shared-secret.ts";
import type { ConsumerStatus } from "../api/status.ts";
import type { Ask } from "./asks.ts";

/** How the problem of a consumer in the status begins if the consumer is approved, but has no Secret that it could use. */
export const withheld = "cannot get the secret";

/** Whether a consumer is approved, but has no Secret that it could use. */
export function isWithheld({ problem }: Pick<ConsumerStatus, "problem">): boolean {
  return problem?.startsWith(withheld) === true;
}

/** The SharedSecrets that exist, by `namespace/name`. */
export type SharedSecrets = ReadonlyMap<string, Stored<SharedSecret>>;

/** What a pod waits for before it may have what it asks for, as sentences for users; empty if it may have all of it. */
export function missingAccess(
  claimant: Claimant,
  asks: readonly Ask[],
  sharedSecrets: SharedSecrets,
): readonly string[] {
  const what = formatConsumer(claimant.consumer);
  return asks.flatMap((ask) => {
    const missing = missingFor(claimant, ask, sharedSecrets.get(formatKey(ask.secret)));
    const promise = "the pod runs without it and is restarted when";
    return missing === undefined ? [] : [`${what} waits for ${missing.what}; ${promise} ${missing.until}`];
  });
}

interface Missing {
  readonly what: string;
  readonly until: string;
}

function missingFor(
  claimant: Claimant,
  { secret, permission }: Ask,
  sharedSecret: Stored<SharedSecret> | undefined,
): Missing | undefined {
  const name = `SharedSecret ${formatKey(secret)}`;
  if (sharedSecret === undefined || sharedSecret.metadata.deletionTimestamp !== undefined)
    return { what: `${name}, which does not exist`, until: "it exists and access is approved" };
  const { approved, consumers = [] } = sharedSecret.status ?? {};
  if (approved !== true) return { what: `approval that ${name} is shared`, until: "it is approved" };
  const approvals = consumers.filter((entry) => {
    const consumer = includes(entry.permission, permission) ? parseConsumer(entry.consumer) : undefined;
    return consumer !== undefined && covers(consumer, claimant);
  });
  if (approvals.length === 0)
    return { what: `approval of ${permission} access to ${name}`, until: "it is approved" };
  if (approvals.every(isWithheld))
    return { what: `the Secret of ${name}, whose status shows the problem`, until: "it is solved" };
  return undefined;
}
