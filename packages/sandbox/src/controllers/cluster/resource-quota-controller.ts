import { deepEqual, type GenericObject, type Stored } from "@keelson/core";
import {
  type PersistentVolumeClaim,
  type Pod,
  ResourceQuota,
  type Service,
} from "@keelson/core/kinds/core/v1";
import { type Amounts, amountsOf, isSame, listOf, only, sum, zero } from "../../admission/quota/amounts.ts";
import { isTerminating } from "../../admission/quota/quota-scope.ts";
import { isInScopes, quotaUsageOf, usesResources } from "../../admission/quota/quota-usage.ts";
import { decoded } from "../../resource/mutable-object.ts";
import type { ServedResource } from "../../resource/served-resource.ts";
import {
  type ControllerContext,
  controllerManager,
  type StartController,
  type StoredChange,
} from "../controller.ts";
import { loopKey, parseLoopKey, startKeyLoop } from "../key-loop.ts";

/** How often usage is calculated without a reason, as some writes that were counted fail later. */
const resyncMs = 5 * 60 * 1000;

/**
 * Calculates what the objects of a namespace use and writes it to the status of its ResourceQuotas: when a quota changes
 * and when objects that count are deleted or use less. What new objects use, admission records.
 */
export const startResourceQuotaController: StartController = (context) => {
  const { objects, clock } = context;
  const quotasIn = new Map<string, Set<string>>();
  const loop = startKeyLoop({
    name: "resourcequota-controller",
    context,
    async reconcile(key) {
      const quota = objects.get(ResourceQuota, parseLoopKey(key));
      if (quota === undefined) return;
      await writeUsage(context, quota);
      loop.enqueueAfter(key, resyncMs);
    },
  });

  function onQuota(type: string, quota: Stored<ResourceQuota>, previous?: Stored<ResourceQuota>): void {
    const key = loopKey(quota);
    const { namespace = "" } = quota.metadata;
    const keys = quotasIn.get(namespace) ?? new Set();
    if (type === "DELETED") keys.delete(key);
    else keys.add(key);
    if (keys.size > 0) quotasIn.set(namespace, keys);
    else quotasIn.delete(namespace);
    if (type === "ADDED" || !deepEqual(previous?.spec, quota.spec)) loop.enqueue(key);
  }

  function onChange(change: StoredChange): void {
    const keys = quotasIn.get(change.object.metadata.namespace ?? "");
    if (keys === undefined || !usesLess(change, clock.now())) return;
    // Later, so that objects whose use is recorded already are stored when usage is calculated.
    for (const key of keys) loop.enqueueAfter(key, 0);
  }

  const stops = [
    context.watch(ResourceQuota, ({ type, object, previous }) => onQuota(type, object, previous)),
    context.watchAll(onChange),
  ];
  return async () => {
    for (const stop of stops) stop();
    await loop.stop();
  };
};

/** Whether a change can free what a quota counts. */
function usesLess({ type, collection, object, previous }: StoredChange, now: number): boolean {
  if (type === "DELETED") return collection !== "events";
  if (previous === undefined) return false;
  switch (collection) {
    case "pods": {
      const [old, pod] = [decoded<Pod>(previous), decoded<Pod>(object)];
      const hasEnded = usesResources(old, now) && !usesResources(pod, now);
      return hasEnded || isTerminating(old) !== isTerminating(pod);
    }
    case "services":
      return decoded<Service>(previous).spec?.type !== decoded<Service>(object).spec?.type;
    case "persistentvolumeclaims": {
      const [old, claim] = [decoded<PersistentVolumeClaim>(previous), decoded<PersistentVolumeClaim>(object)];
      return !deepEqual(old.status?.allocatedResources, claim.status?.allocatedResources);
    }
    default:
      return false;
  }
}

async function writeUsage(context: ControllerContext, quota: Stored<ResourceQuota>): Promise<void> {
  const { spec = {}, status = {} } = quota;
  const hard = spec.hard ?? {};
  const before = amountsOf(status.used);
  const known = new Map([...before, ...usageOf(context, quota)]);
  const used = only(known, new Set(Object.keys(hard)));
  const isWritten = status.hard !== undefined && status.used !== undefined;
  if (isWritten && isSame(amountsOf(status.hard), amountsOf(hard)) && isSame(used, before)) return;
  await context.objects.update(
    ResourceQuota,
    { ...quota, status: { hard, used: listOf(used) } },
    { manager: controllerManager, subresource: "status" },
  );
}

/** What is used of the resources that some kind counts against. */
function usageOf(context: ControllerContext, quota: Stored<ResourceQuota>): Amounts {
  const { spec = {} } = quota;
  const names = Object.keys(spec.hard ?? {});
  let total: Amounts = new Map();
  for (const resource of countedKinds(context, names)) {
    const usage = quotaUsageOf(resource);
    const matched = new Set(names.filter((name) => usage?.matches(name) === true));
    if (usage === undefined || matched.size === 0) continue;
    let used: Amounts = new Map([...matched].map((name) => [name, zero]));
    for (const object of objectsOf(context, resource, quota)) {
      if (!isInScopes(usage, object, spec)) continue;
      used = sum(used, only(usage.usage(object, context.clock.now()), matched));
    }
    total = sum(total, used);
  }
  return total;
}

const special = ["pods", "services", "persistentvolumeclaims"];
const aliases = ["configmaps", "replicationcontrollers", "resourcequotas", "secrets"];

/** The kinds that the resources of a quota can count. */
function countedKinds({ registry }: ControllerContext, names: readonly string[]): readonly ServedResource[] {
  const counted = names.flatMap((name) => {
    if (aliases.includes(name)) return [name];
    return name.startsWith("count/") ? [name.slice("count/".length)] : [];
  });
  const kinds = [...new Set([...special, ...counted])].map((name) => {
    const [plural = "", ...group] = name.split(".");
    return registry.findStored(group.join("."), plural);
  });
  return kinds.filter((kind) => kind?.scope === "Namespaced").filter((kind) => kind !== undefined);
}

function objectsOf(
  { store }: ControllerContext,
  { collection }: ServedResource,
  { metadata }: Stored<ResourceQuota>,
): readonly GenericObject[] {
  return store.list(collection, { namespace: metadata.namespace ?? "" });
}
