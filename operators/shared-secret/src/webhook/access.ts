import { formatKey, type Stored } from "keelson";
import { matchesLabels } from "keelson/low-level";
import {
  formatConsumer,
  isNamed,
  type NamedConsumer,
  type Permission,
  parseConsumer,
} from "../api/consumer.ts";
import type { SharedSecret } from "../api/shared-secret.ts";
import type { ConsumerStatus } from "../api/status.ts";
import type { Ask } from "./asks.ts";

/** How the problem of a consumer in the status begins if the consumer is approved, but has no Secret that it could use. */
export const withheld = "cannot get the secret";

/** The pod that wants access. */
export interface Claimant {
  /** The workload that it belongs to, in the namespace of the pod. */
  readonly consumer: NamedConsumer;
  /** Undefined if the server generates it. */
  readonly podName: string | undefined;
  readonly labels: Readonly<Record<string, string>>;
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
  const approvals = consumers.filter(
    (entry) => covers(entry.permission, permission) && isMeant(entry, claimant),
  );
  if (approvals.length === 0)
    return { what: `approval of ${permission} access to ${name}`, until: "it is approved" };
  if (approvals.every(({ problem }) => problem?.startsWith(withheld)))
    return { what: `the Secret of ${name}, whose status shows the problem`, until: "it is solved" };
  return undefined;
}

function covers(approved: Permission, asked: Permission): boolean {
  return approved === "ReadWrite" || asked === "ReadOnly";
}

/** Whether an approved consumer is the workload of the pod, the pod itself, or a selector of its labels. */
function isMeant({ consumer: text }: ConsumerStatus, { consumer, podName, labels }: Claimant): boolean {
  const { namespace } = consumer;
  if (text === formatConsumer(consumer)) return true;
  const approved = parseConsumer(text);
  if (approved === undefined || approved.namespace !== namespace) return false;
  if (!isNamed(approved)) return matchesLabels(approved.selector, labels);
  return approved.kind === "Pod" && approved.name === podName;
}
