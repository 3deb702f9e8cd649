import { find, NotFoundError, type ObjectContext } from "keelson";
import { ServiceAccount } from "keelson/kinds/core/v1";
import { Role, RoleBinding } from "keelson/kinds/rbac/v1";
import { claimantOf, covers } from "../api/claimant.ts";
import { isNamed } from "../api/consumer.ts";
import { fieldOwner, group, rotatorAccountOf, secretLabel, secretNameOf } from "../api/names.ts";
import { SharedSecret } from "../api/shared-secret.ts";
import type { SharedSecretSpec } from "../api/spec.ts";
import type { ConsumerPod } from "../restart/consumer-pods.ts";
import type { ApprovedConsumer } from "./consumers.ts";
import { permissionAskedFor } from "./requests.ts";

type GrantContext = Pick<ObjectContext<SharedSecret>, "object" | "client" | "apply" | "remove" | "find">;

/** Where a rotator runs, and as whom. */
interface Account {
  readonly namespace: string;
  readonly name: string;
}

/**
 * Lets the sidecars of read-write consumers rotate the value, and nothing else: a ServiceAccount for each consumer, and one
 * Role with the names of exactly the objects that they need. Accounts that lost their access are deleted, and with them
 * their tokens end at once. Returns why a consumer has no account, by its namespace.
 */
export async function syncRotatorAccounts(
  context: GrantContext,
  consumers: readonly ApprovedConsumer[],
  pods: readonly ConsumerPod[],
): Promise<ReadonlyMap<string, string>> {
  const { object } = context;
  const { name } = object.metadata;
  const isSidecar = object.spec.rotator?.runsIn === "Sidecar";
  const accounts = isSidecar ? accountsOf(context, consumers, pods) : [];
  const before = await boundAccounts(context);
  for (const account of before)
    if (!accounts.some((other) => isSame(account, other))) await removeAccount(context, account);
  if (accounts.length === 0) {
    await context.remove(RoleBinding, roleNameOf(name));
    await context.remove(Role, roleNameOf(name));
    return new Map();
  }
  const problems = new Map<string, string>();
  for (const account of accounts) {
    const problem = await ensureAccount(context, account);
    if (problem !== undefined) problems.set(account.namespace, problem);
  }
  await applyRole(context, accounts);
  return problems;
}

/** Deletes the accounts of a SharedSecret that is being deleted, as far as no other one needs them. */
export async function removeRotatorAccounts(context: GrantContext): Promise<void> {
  for (const account of await boundAccounts(context)) await removeAccount(context, account);
}

/** Of the consumers by name, and of the workloads whose pods a pod name or a selector covers. */
function accountsOf(
  { object }: GrantContext,
  consumers: readonly ApprovedConsumer[],
  pods: readonly ConsumerPod[],
): readonly Account[] {
  const writers = consumers.filter(({ permission }) => permission === "ReadWrite");
  const named = writers.map(({ consumer }) => consumer).filter(isNamed);
  const found = pods
    .filter((pod) => permissionAskedFor(object.metadata, pod) === "ReadWrite")
    .map(claimantOf)
    .filter((claimant) => claimant !== undefined)
    .filter((claimant) => writers.some(({ consumer }) => covers(consumer, claimant)))
    .map(({ consumer }) => consumer);
  const accounts = new Map(
    [...named, ...found].map((consumer) => {
      const account = { namespace: consumer.namespace, name: rotatorAccountOf(consumer) };
      return [`${account.namespace}/${account.name}`, account];
    }),
  );
  return [...accounts].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, account]) => account);
}

/** The accounts that may rotate now. */
async function boundAccounts({ object, find: findOwned }: GrantContext): Promise<readonly Account[]> {
  const binding = await findOwned(RoleBinding, roleNameOf(object.metadata.name));
  return (binding?.subjects ?? []).map(({ namespace = "", name }) => ({ namespace, name }));
}

async function applyRole({ object, apply }: GrantContext, accounts: readonly Account[]): Promise<void> {
  const { name } = object.metadata;
  const metadata = { name: roleNameOf(name), labels: { [secretLabel]: name } };
  const { plural } = SharedSecret;
  await apply(Role, {
    metadata,
    rules: [
      {
        apiGroups: [""],
        resources: ["secrets"],
        resourceNames: [secretNameOf(name)],
        verbs: ["get", "patch"],
      },
      ...readSecretsOf(object.spec),
      { apiGroups: [group], resources: [plural], resourceNames: [name], verbs: ["get"] },
      { apiGroups: [group], resources: [`${plural}/status`], resourceNames: [name], verbs: ["patch"] },
    ],
  });
  await apply(RoleBinding, {
    metadata,
    roleRef: { apiGroup: Role.group, kind: Role.kind, name: metadata.name },
    subjects: accounts.map((account) => ({ kind: ServiceAccount.kind, ...account })),
  });
}

/** The Secrets with which a rotator reaches what it rotates. */
function readSecretsOf({ rotator }: SharedSecretSpec) {
  const { adminSecret, tls } = rotator?.postgres ?? {};
  const names = [adminSecret?.name, tls?.caSecret?.name].filter((each) => each !== undefined);
  const resourceNames = [...new Set(names)];
  return resourceNames.length === 0
    ? []
    : [{ apiGroups: [""], resources: ["secrets"], resourceNames, verbs: ["get"] }];
}

function roleNameOf(sharedSecret: string): string {
  return `${sharedSecret}-rotator`;
}

/** Why the account could not be created; undefined if it exists. */
async function ensureAccount({ client }: GrantContext, account: Account): Promise<string | undefined> {
  if ((await find(client, ServiceAccount, account)) !== undefined) return undefined;
  try {
    const metadata = { ...account, labels: { [secretLabel]: "rotator" } };
    // Pods mount the token only where the rotator runs.
    await client.apply(
      ServiceAccount,
      { metadata, automountServiceAccountToken: false },
      { fieldOwner, force: true },
    );
    return undefined;
  } catch (error) {
    if (error instanceof NotFoundError) return `namespace ${account.namespace} does not exist`;
    throw error;
  }
}

/** Unless a rotator of another SharedSecret runs with it. */
async function removeAccount({ client, object }: GrantContext, account: Account): Promise<void> {
  const { items } = await client.list(RoleBinding, { labelSelector: secretLabel });
  const isUsed = items.some(
    ({ metadata, subjects = [] }) =>
      !(
        metadata.namespace === object.metadata.namespace && metadata.name === roleNameOf(object.metadata.name)
      ) && subjects.some(({ namespace = "", name }) => isSame(account, { namespace, name })),
  );
  if (isUsed) return;
  const existing = await find(client, ServiceAccount, account);
  if (existing === undefined) return;
  try {
    await client.delete(ServiceAccount, account, { preconditions: { uid: existing.metadata.uid } });
  } catch (error) {
    if (!(error instanceof NotFoundError)) throw error;
  }
}

function isSame(one: Account, other: Account): boolean {
  return one.namespace === other.namespace && one.name === other.name;
}
