import { type Client, cacheIndex, find, NotFoundError, type Stored } from "keelson";
import type { CachedIndex } from "keelson/cache";
import { ownerReferenceTo } from "keelson/object";
import { consumerOf, formatConsumer } from "../api/consumer.ts";
import { fieldOwner, shortened } from "../api/names.ts";
import { type Decision, type NewSecretAccess, SecretAccess } from "../api/secret-access.ts";
import { SharedSecret } from "../api/shared-secret.ts";
import type {
  ConsumerPolicy,
  Policy,
  PolicyRequest,
  SecretApproval,
  SecretKey,
  SecretPolicy,
} from "./policy.ts";

const secretIndex = "secret";

/** SecretAccesses by the SharedSecret that they are about. */
export const accessIndex: CachedIndex = cacheIndex(SecretAccess, secretIndex, ({ spec }) => [spec.secret]);

/**
 * The policy that is kept in the cluster: SecretAccesses in the namespace of the SharedSecret, on which a person with the
 * permission to patch their status decides. To create them does not allow to approve them.
 */
export function clusterPolicy(client: Client): Policy {
  return {
    pollMs: undefined,
    read: async (secret) => policyOf(await accessesOf(client, secret)),
    request: (secret, request) => ensureRequest(client, secret, request),
    approvalHint: (secret, request) => approvalLine(secret.namespace, accessName(secret.name, request)),
  };
}

/** The command that approves a SecretAccess. */
export function approvalLine(namespace: string, name: string): string {
  const patch = `'{"status":{"decision":"Approved"}}'`;
  return `kubectl patch secretaccess ${name} -n ${namespace} --subresource=status --type=merge -p ${patch}`;
}

type Access = Stored<SecretAccess>;

async function accessesOf(client: Client, { namespace, name }: SecretKey): Promise<readonly Access[]> {
  const { items } = await client.list(SecretAccess, { namespace, fieldSelector: `${secretIndex}=${name}` });
  return items.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
}

function decisionOf({ status }: Access): Decision {
  return status?.decision ?? "Pending";
}

function policyOf(accesses: readonly Access[]): SecretPolicy {
  const shares = accesses.filter(({ spec }) => spec.permission === "Share");
  const periodsOf = (...decisions: readonly Decision[]): readonly number[] =>
    shares
      .filter((access) => decisions.includes(decisionOf(access)))
      .map(({ spec }) => spec.rotateSeconds ?? 0);
  return {
    approval: approvalOf(shares),
    pendingRotateSeconds: periodsOf("Pending")[0],
    refusedRotateSeconds: periodsOf("Denied", "Revoked"),
    consumers: accesses.flatMap(consumerPolicyOf),
  };
}

/** The last decision counts: another rotation period is another request. */
function approvalOf(shares: readonly Access[]): SecretApproval | undefined {
  const [last] = shares.filter((access) => decisionOf(access) === "Approved").sort(byLastDecision);
  if (last === undefined) return undefined;
  return { rotateSeconds: last.spec.rotateSeconds ?? 0, ...decidedOf(last) };
}

function byLastDecision(one: Access, other: Access): number {
  const timeOf = ({ metadata, status }: Access): number =>
    Date.parse(status?.decidedAt ?? metadata.creationTimestamp);
  const createdOf = ({ metadata }: Access): number => Date.parse(metadata.creationTimestamp);
  return timeOf(other) - timeOf(one) || createdOf(other) - createdOf(one);
}

function decidedOf({ status }: Access): Pick<SecretApproval, "by" | "at"> {
  const { decidedBy, decidedAt } = status ?? {};
  return {
    ...(decidedBy !== undefined && { by: decidedBy }),
    ...(decidedAt !== undefined && { at: decidedAt }),
  };
}

function consumerPolicyOf(access: Access): readonly ConsumerPolicy[] {
  const { permission, consumer } = access.spec;
  if (permission === "Share" || consumer === undefined) return [];
  const decision = decisionOf(access);
  return [
    {
      consumer: consumerOf(consumer, access.metadata.namespace),
      permission,
      state: decision === "Approved" || decision === "Pending" ? decision : "Refused",
      ...decidedOf(access),
    },
  ];
}

/** The name of the SecretAccess of a request, so that the same request is made once. */
function accessName(secret: string, request: PolicyRequest): string {
  if (request.type === "Share") return `${secret}.share.${request.rotateSeconds}`;
  const { consumer, permission } = request;
  const suffix = permission === "ReadOnly" ? "ro" : "rw";
  const text = formatConsumer(consumer)
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, ".");
  return shortened(`${secret}.${text}.${suffix}`, 253);
}

async function ensureRequest(client: Client, secret: SecretKey, request: PolicyRequest): Promise<void> {
  const { namespace } = secret;
  const name = accessName(secret.name, request);
  const owner = await find(client, SharedSecret, secret);
  if (owner === undefined) return;
  if (request.type === "Share") await dropOutdated(client, secret, request.rotateSeconds);
  if ((await find(client, SecretAccess, { namespace, name })) !== undefined) return;
  const reference = ownerReferenceTo({ resource: SharedSecret, object: owner }, { controller: true });
  const access: Omit<NewSecretAccess, "apiVersion" | "kind"> = {
    metadata: { namespace, name, ownerReferences: [reference] },
    spec: { secret: secret.name, ...specOf(request) },
  };
  await client.create(SecretAccess, access, { fieldOwner });
}

function specOf(request: PolicyRequest): Omit<NewSecretAccess["spec"], "secret"> {
  return request.type === "Share"
    ? { permission: "Share", rotateSeconds: request.rotateSeconds }
    : { permission: request.permission, consumer: { ...request.consumer } };
}

/**
 * Deletes requests of the operator for other rotation periods: those without a decision, since the spec asks for
 * another one now, and an earlier approval of the same period, since a later one replaced it.
 */
async function dropOutdated(client: Client, secret: SecretKey, rotateSeconds: number): Promise<void> {
  const accesses = await accessesOf(client, secret);
  const shares = accesses.filter(({ spec, metadata }) => {
    const isOwn = metadata.ownerReferences?.some(({ kind }) => kind === SharedSecret.kind) === true;
    return spec.permission === "Share" && isOwn;
  });
  for (const access of shares) {
    const isSame = access.spec.rotateSeconds === rotateSeconds;
    const isOutdated = isSame ? decisionOf(access) === "Approved" : decisionOf(access) === "Pending";
    if (isOutdated) await removeAccess(client, access);
  }
}

async function removeAccess(client: Client, { metadata }: Access): Promise<void> {
  try {
    await client.delete(SecretAccess, metadata, { preconditions: { uid: metadata.uid } });
  } catch (error) {
    if (!(error instanceof NotFoundError)) throw error;
  }
}
