import type { ObjectContext } from "keelson";
import type { SharedSecret } from "../api/shared-secret.ts";
import type { ConsumerStatus } from "../api/status.ts";
import type { ConsumerPod } from "../restart/consumer-pods.ts";
import { syncCopies } from "../secret/copies.ts";
import type { VersionedSecret } from "../secret/versioned-secret.ts";
import { isWithheld, withheld } from "../webhook/access.ts";
import type { ApprovedConsumer } from "./consumers.ts";
import { syncRotatorAccounts } from "./rotator-accounts.ts";

/** What the grants of a SharedSecret depend on. */
export interface GrantFacts {
  readonly secret: VersionedSecret;
  readonly approved: readonly ApprovedConsumer[];
  /** Those that ask for the SharedSecret. */
  readonly pods: readonly ConsumerPod[];
  /** The namespaces that the operator works in; undefined for all. */
  readonly namespaces: readonly string[] | undefined;
}

/**
 * Gives approved consumers what they need to use the Secret, and takes it from all others. Returns the consumers; one that
 * cannot get the Secret has a problem that says so.
 */
export async function grantAccess(
  context: ObjectContext<SharedSecret>,
  { secret, approved, pods, namespaces }: GrantFacts,
): Promise<readonly ApprovedConsumer[]> {
  const { namespace } = context.object.metadata;
  const isServed = (where: string): boolean => namespaces === undefined || namespaces.includes(where);
  const served = approved.filter(({ consumer }) => isServed(consumer.namespace));
  const elsewhere = served.map(({ consumer }) => consumer.namespace).filter((where) => where !== namespace);
  const ofCopies = await syncCopies(context, secret, new Set(elsewhere));
  const ofAccounts = await syncRotatorAccounts(context, served, pods);
  return approved.map((each) => {
    const where = each.consumer.namespace;
    const problem = isServed(where)
      ? (ofCopies.get(where) ?? (each.permission === "ReadWrite" ? ofAccounts.get(where) : undefined))
      : `the operator does not work in namespace ${where}`;
    return { ...each, entry: withGrantProblem(each.entry, problem) };
  });
}

function withGrantProblem(entry: ConsumerStatus, problem: string | undefined): ConsumerStatus {
  if (problem !== undefined) return { ...entry, problem: `${withheld}: ${problem}` };
  if (!isWithheld(entry)) return entry;
  const { problem: _, ...rest } = entry;
  return rest;
}
