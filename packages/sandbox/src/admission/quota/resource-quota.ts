import { type Clock, compareQuantities, type GenericObject, type Stored } from "@keelson/core";
import type { ResourceQuota } from "@keelson/core/kinds/core/v1";
import { decoded } from "../../resource/mutable-object.ts";
import type { StoredObjects } from "../../resource/stored-objects.ts";
import { ApiError, staleVersion } from "../../status/api-error.ts";
import { type AdmissionRequest, refused, type ValidatingAdmission } from "../admission.ts";
import { type Amounts, amountsOf, describe, excess, isSame, listOf, only, sum } from "./amounts.ts";
import { isInScopes, type QuotaUsage, quotaUsageOf } from "./quota-usage.ts";

export interface ResourceQuotaDependencies {
  readonly read: StoredObjects;
  readonly clock: Clock;
  /** Writes the status of a quota; throws a conflict if the quota has changed. */
  updateStatus(quota: Stored<ResourceQuota>): Promise<void>;
}

const quotas = { group: "", plural: "resourcequotas" };

/**
 * Refuses a write that would exceed a ResourceQuota of its namespace; otherwise records what it uses in the status of the
 * quota before the object is stored. The writes of a namespace are checked one after the other, so that parallel ones
 * never exceed a quota together. A write that fails later stays counted until the quota is calculated again.
 */
export function resourceQuota(dependencies: ResourceQuotaDependencies): ValidatingAdmission {
  /** The last check of each namespace that has one under way. */
  const checks = new Map<string, Promise<void>>();

  async function check(namespace: string, write: CountedWrite): Promise<void> {
    const before = checks.get(namespace);
    const own = (before ?? Promise.resolve()).then(() => charge(dependencies, namespace, write));
    const ended = own.catch(() => undefined);
    checks.set(namespace, ended);
    try {
      await own;
    } finally {
      if (checks.get(namespace) === ended) checks.delete(namespace);
    }
  }

  return {
    name: "ResourceQuota",
    validate(request, object) {
      const { namespace, resource, operation, subresource, oldObject } = request;
      const isNamespaced = resource.scope === "Namespaced";
      if (!isNamespaced || namespace === undefined || object === undefined) return;
      if (operation !== "CREATE" && operation !== "UPDATE") return;
      const usage = quotaUsageOf(resource);
      if (usage?.handles({ operation, subresource, object, oldObject }) !== true) return;
      if (dependencies.read.list(quotas, namespace).length === 0) return;
      return check(namespace, { request, object, usage });
    },
  };
}

interface CountedWrite {
  readonly request: AdmissionRequest;
  readonly object: GenericObject;
  readonly usage: QuotaUsage;
}

async function charge(
  { read, clock, updateStatus }: ResourceQuotaDependencies,
  namespace: string,
  write: CountedWrite,
): Promise<void> {
  /** Quotas that have counted this write. */
  const counted = new Set<string>();
  for (;;) {
    const found = read.list(quotas, namespace).map((quota) => decoded<Stored<ResourceQuota>>(quota));
    const now = clock.now();
    const changed = found
      .filter(({ metadata }) => !counted.has(metadata.uid))
      .flatMap((quota) => chargedQuota(quota, write, now) ?? []);
    if (write.request.dryRun) return;
    try {
      for (const quota of changed) {
        await updateStatus(quota);
        counted.add(quota.metadata.uid);
      }
      return;
    } catch (error) {
      if (!isConflict(error)) throw error;
      write.request.signal.throwIfAborted();
    }
  }
}

function isConflict(error: unknown): boolean {
  if (!(error instanceof ApiError)) return false;
  const { code, message = "" } = error.status;
  return code === 404 || (code === 409 && message.includes(staleVersion));
}

/** The quota after the write; undefined if the write does not change it. Throws ApiError if it would be exceeded. */
function chargedQuota(
  quota: Stored<ResourceQuota>,
  { request, object, usage }: CountedWrite,
  now: number,
): Stored<ResourceQuota> | undefined {
  const { spec = {}, status = {} } = quota;
  const { name } = quota.metadata;
  const hard = amountsOf(status.hard);
  const names = [...hard.keys()].filter((resourceName) => usage.matches(resourceName));
  if (names.length === 0 || !isInScopes(usage, object, spec)) return undefined;
  const problem = usage.problem?.(object, names);
  if (problem !== undefined) throw refused(request, object, `failed quota: ${name}: ${problem}`);
  const used = amountsOf(status.used);
  if (names.some((resourceName) => !used.has(resourceName))) {
    const unknown = names.toSorted().join(",");
    throw refused(request, object, `status unknown for quota: ${name}, resources: ${unknown}`);
  }
  const added = only(addedUsage({ request, object, usage }, spec, now), new Set(hard.keys()));
  const total = sum(used, added);
  if (request.subresource !== "status") checkLimits({ request, object, name, hard, used, added, total });
  return isSame(total, used) ? undefined : { ...quota, status: { ...status, used: listOf(total) } };
}

/** What the write uses beyond the object that it replaces, without zeros. */
function addedUsage(
  { request, object, usage }: CountedWrite,
  spec: NonNullable<ResourceQuota["spec"]>,
  now: number,
): Amounts {
  const { operation, oldObject } = request;
  const wanted = usage.usage(object, now);
  const isReplaced = operation === "UPDATE" && oldObject !== undefined && isInScopes(usage, oldObject, spec);
  const added = isReplaced ? excess(wanted, usage.usage(oldObject, now)) : wanted;
  return new Map([...added].filter(([, { nanos }]) => nanos !== 0n));
}

interface Charge {
  readonly request: AdmissionRequest;
  readonly object: GenericObject;
  readonly name: string;
  readonly hard: Amounts;
  readonly used: Amounts;
  readonly added: Amounts;
  readonly total: Amounts;
}

function checkLimits({ request, object, name, hard, used, added, total }: Charge): void {
  const exceeded = [...added.keys()].filter((resourceName) => {
    const [most, amount] = [hard.get(resourceName), total.get(resourceName)];
    return most !== undefined && amount !== undefined && compareQuantities(amount, most) > 0;
  });
  if (exceeded.length === 0) return;
  const [requested, before, limited] = [added, used, hard].map((amounts) =>
    describe(only(amounts, new Set(exceeded))),
  );
  const why = `exceeded quota: ${name}, requested: ${requested}, used: ${before}, limited: ${limited}`;
  throw refused(request, object, why);
}
