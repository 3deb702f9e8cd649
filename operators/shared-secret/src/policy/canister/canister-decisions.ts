import { formatConsumer, type Permission, parseConsumer } from "../../api/consumer.ts";
import type { ConsumerPolicy, SecretKey, SecretPolicy } from "../policy.ts";
import type { CertifiedLists } from "./certified-lists.ts";

/** What a canister says about all secrets. */
export interface CanisterDecisions {
  /** By the id that the canister knows a secret by. */
  readonly secrets: ReadonlyMap<string, SecretPolicy>;
  /** Consumers that are left out, as nothing of the cluster is named like that, or as their permission is unknown. */
  readonly unreadable: readonly string[];
}

/** Of a secret that a canister does not know. */
export const unknownSecret: SecretPolicy = {
  approval: undefined,
  pendingRotateSeconds: undefined,
  consumers: [],
};

/** The id by which a canister knows a SharedSecret. */
export function secretIdOf({ namespace, name }: SecretKey): string {
  return `${namespace}/${name}`;
}

/** `pending_type` of an entry that waits for no decision. */
const notPending = 3;

const permissions: ReadonlyMap<number, Permission> = new Map([
  [1, "ReadWrite"],
  [2, "ReadOnly"],
]);

/** The number of a permission in the interface of the canister. */
export function permissionTypeOf(permission: Permission): number {
  return permission === "ReadWrite" ? 1 : 2;
}

/** Understands the lists of a canister. They do not tell who approved and when: all that is in them is from the request. */
export function decisionsOf(lists: CertifiedLists): CanisterDecisions {
  const { secrets, pending_secret_reqs } = lists;
  // Later entries are newer.
  const approved = new Map(
    secrets.filter((each) => each.pending_type === notPending).map((each) => [each.kube_id, each]),
  );
  const pending = new Map(pending_secret_reqs.map((each) => [each.kube_id, each]));
  const { consumers, unreadable } = consumersOf(lists);
  const ids = [...approved.keys(), ...pending.keys(), ...consumers.keys()];
  const policyOf = (id: string): SecretPolicy => {
    const secret = approved.get(id);
    return {
      approval: secret && { rotateSeconds: secret.ttl },
      pendingRotateSeconds: pending.get(id)?.ttl,
      consumers: [...(consumers.get(id)?.values() ?? [])],
    };
  };
  return { secrets: new Map(ids.map((id) => [id, policyOf(id)])), unreadable };
}

/** The consumers of each secret, one for each consumer and permission; an approval counts more than a request. */
function consumersOf({ consumers, pending_consumer_reqs }: CertifiedLists): {
  readonly consumers: ReadonlyMap<string, ReadonlyMap<string, ConsumerPolicy>>;
  readonly unreadable: readonly string[];
} {
  const bySecret = new Map<string, Map<string, ConsumerPolicy>>();
  const unreadable = new Set<string>();
  const add = (entry: CertifiedLists["consumers"][number], state: ConsumerPolicy["state"]): void => {
    const { kube_id, secret_kube_id, permission_type } = entry;
    const consumer = parseConsumer(kube_id);
    const permission = permissions.get(permission_type);
    if (consumer === undefined || permission === undefined) {
      unreadable.add(kube_id);
      return;
    }
    const ofSecret = bySecret.get(secret_kube_id) ?? new Map<string, ConsumerPolicy>();
    bySecret.set(secret_kube_id, ofSecret);
    ofSecret.set(`${formatConsumer(consumer)} ${permission}`, { consumer, permission, state });
  };
  for (const entry of pending_consumer_reqs) add(entry, "Pending");
  for (const entry of consumers) if (entry.pending_type === notPending) add(entry, "Approved");
  return { consumers: bySecret, unreadable: [...unreadable] };
}
