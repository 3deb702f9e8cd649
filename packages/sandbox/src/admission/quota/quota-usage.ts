import { type GenericObject, roundUpQuantity } from "@keelson/core";
import type {
  PersistentVolumeClaim,
  Pod,
  ResourceQuotaSpec,
  ScopedResourceSelectorRequirement,
  Service,
} from "@keelson/core/kinds/core/v1";
import { decoded } from "../../resource/mutable-object.ts";
import { type Amounts, amountsOf, count, one, zero } from "./amounts.ts";
import { isPodLevel, podAmountsWithOverhead } from "./pod-resources.ts";
import { claimIsInScope, isTerminating, podIsInScope, scopesOf } from "./quota-scope.ts";

/** How the objects of one kind count against quotas. */
export interface QuotaUsage {
  /** Whether a write of this part of an object can change what it uses. */
  handles(write: QuotaWrite): boolean;
  /** Whether the kind counts against a resource of a quota. */
  matches(resourceName: string): boolean;
  isInScope(object: GenericObject, scope: ScopedResourceSelectorRequirement): boolean;
  /** What an object uses; `now` in milliseconds since 1970. */
  usage(object: GenericObject, now: number): Amounts;
  /** Why an object may not be counted against these resources; undefined if it may. */
  problem?(object: GenericObject, resourceNames: readonly string[]): string | undefined;
}

interface QuotaWrite {
  readonly operation: string;
  readonly subresource: string | undefined;
  readonly object: GenericObject;
  readonly oldObject: GenericObject | undefined;
}

interface QuotaKind {
  readonly group: string;
  readonly plural: string;
}

const uncounted: ReadonlySet<string> = new Set([
  "bindings",
  "events",
  "localsubjectaccessreviews.authorization.k8s.io",
]);

/** The rules of a kind; undefined for kinds that no quota counts. */
export function quotaUsageOf({ group, plural }: QuotaKind): QuotaUsage | undefined {
  const name = group === "" ? plural : `${plural}.${group}`;
  if (uncounted.has(name) || group === "events.k8s.io") return undefined;
  if (name === "pods") return podUsage;
  if (name === "services") return serviceUsage;
  if (name === "persistentvolumeclaims") return claimUsage;
  return objectCount([`count/${name}`, ...(aliased.has(name) ? [name] : [])]);
}

/** Whether an object is in all scopes of a quota. */
export function isInScopes(usage: QuotaUsage, object: GenericObject, spec: ResourceQuotaSpec): boolean {
  return scopesOf(spec).every((scope) => usage.isInScope(object, scope));
}

const aliased: ReadonlySet<string> = new Set([
  "configmaps",
  "replicationcontrollers",
  "resourcequotas",
  "secrets",
]);

function objectCount(names: readonly string[]): QuotaUsage {
  const amounts: Amounts = new Map(names.map((name) => [name, one]));
  return {
    handles: ({ operation, subresource }) => operation === "CREATE" && subresource === undefined,
    matches: (name) => names.includes(name),
    isInScope: () => false,
    usage: () => amounts,
  };
}

const podNames: ReadonlySet<string> = new Set([
  ...["count/pods", "pods", "cpu", "memory", "ephemeral-storage"],
  ...["requests.cpu", "requests.memory", "requests.ephemeral-storage"],
  ...["limits.cpu", "limits.memory", "limits.ephemeral-storage"],
]);

const podUsage: QuotaUsage = {
  handles({ operation, subresource, object, oldObject }) {
    if (subresource === "resize") return operation === "UPDATE";
    if (subresource !== undefined) return false;
    if (operation === "CREATE") return true;
    return oldObject !== undefined && isTerminating(asPod(oldObject)) !== isTerminating(asPod(object));
  },
  matches: (name) =>
    podNames.has(name) ||
    /^(requests\.)?hugepages-/.test(name) ||
    (name.startsWith("requests.") && isExtended(name)),
  isInScope: (object, scope) => podIsInScope(asPod(object), scope),
  usage(object, now) {
    const pod = asPod(object);
    const { spec } = pod;
    const stored: Amounts = new Map([["count/pods", one]]);
    if (spec === undefined || !usesResources(pod, now)) return stored;
    const requests = podAmountsWithOverhead(spec, "requests");
    const limits = podAmountsWithOverhead(spec, "limits");
    return new Map([...stored, ...computeUsage(requests, limits)]);
  },
  problem(object, resourceNames) {
    const { spec } = asPod(object);
    if (spec === undefined) return undefined;
    const { requests = {}, limits = {} } = spec.resources ?? {};
    if (Object.keys({ ...requests, ...limits }).some(isPodLevel)) return undefined;
    const required = resourceNames.filter((name) => explicit.has(name)).toSorted();
    const containers = [...spec.containers, ...(spec.initContainers ?? [])];
    const missing = required.flatMap((name) => {
      const without = containers
        .filter(({ resources }) => {
          const { requests, limits } = resources ?? {};
          return !computeUsage(amountsOf(requests), amountsOf(limits)).has(name);
        })
        .map((container) => container.name);
      return without.length === 0 ? [] : [`${name} for: ${[...new Set(without)].toSorted().join(",")}`];
    });
    return missing.length === 0 ? undefined : `must specify ${missing.join("; ")}`;
  },
};

/** A quota for one of these requires that every container states it. */
const explicit: ReadonlySet<string> = new Set([
  ...["cpu", "memory", "requests.cpu", "requests.memory", "limits.cpu", "limits.memory"],
]);

function asPod(object: GenericObject): Pod {
  return decoded<Pod>(object);
}

/** A pod that has ended, or whose grace period is over, uses nothing but its place in the store. */
export function usesResources({ metadata, status }: Pod, now: number): boolean {
  if (status?.phase === "Failed" || status?.phase === "Succeeded") return false;
  const { deletionTimestamp, deletionGracePeriodSeconds } = metadata;
  if (deletionTimestamp === undefined || deletionGracePeriodSeconds === undefined) return true;
  return now <= Date.parse(deletionTimestamp) + deletionGracePeriodSeconds * 1000;
}

const measured = ["cpu", "memory", "ephemeral-storage"];

function computeUsage(requests: Amounts, limits: Amounts): Amounts {
  const usage = new Map([["pods", one]]);
  for (const [name, amount] of requests) {
    if (measured.includes(name) || name.startsWith("hugepages-")) usage.set(name, amount);
    if (measured.includes(name) || name.startsWith("hugepages-") || isExtended(name)) {
      usage.set(`requests.${name}`, amount);
    }
  }
  for (const [name, amount] of limits) {
    if (measured.includes(name)) usage.set(`limits.${name}`, amount);
  }
  return usage;
}

/** Whether a vendor, not Kubernetes, defines the resource. */
function isExtended(name: string): boolean {
  return name.includes("/") && !name.includes("kubernetes.io/");
}

const serviceNames: ReadonlySet<string> = new Set([
  ...["count/services", "services", "services.nodeports", "services.loadbalancers"],
]);

const serviceUsage: QuotaUsage = {
  handles: ({ operation, subresource }) => subresource === undefined && operation !== "DELETE",
  matches: (name) => serviceNames.has(name),
  isInScope: () => false,
  usage(object) {
    const { type, ports = [], allocateLoadBalancerNodePorts = true } = decoded<Service>(object).spec ?? {};
    const isBalanced = type === "LoadBalancer";
    const given = ports.filter(({ nodePort = 0 }) => nodePort !== 0);
    const counted = isBalanced && !allocateLoadBalancerNodePorts ? given : ports;
    return new Map([
      ["count/services", one],
      ["services", one],
      ["services.loadbalancers", isBalanced ? one : zero],
      ["services.nodeports", isBalanced || type === "NodePort" ? count(counted.length) : zero],
    ]);
  },
};

const classInfix = ".storageclass.storage.k8s.io/";
const claimNames = ["persistentvolumeclaims", "requests.storage"];

const claimUsage: QuotaUsage = {
  handles: ({ operation, subresource }) =>
    operation !== "DELETE" && (subresource === undefined || subresource === "status"),
  matches: (name) =>
    name === "count/persistentvolumeclaims" ||
    claimNames.some((one) => name === one || name.endsWith(`${classInfix}${one}`)),
  isInScope: (object, scope) => claimIsInScope(decoded<PersistentVolumeClaim>(object), scope),
  usage(object) {
    const { metadata, spec, status } = decoded<PersistentVolumeClaim>(object);
    const annotated = metadata.annotations?.["volume.beta.kubernetes.io/storage-class"];
    const className = annotated ?? spec?.storageClassName ?? "";
    const requested = amountsOf(spec?.resources?.requests).get("storage");
    const allocated = amountsOf(status?.allocatedResources).get("storage");
    const storage = requested && allocated && allocated.nanos > requested.nanos ? allocated : requested;
    const ofClaim: Amounts = new Map([
      ["persistentvolumeclaims", one],
      ...(storage === undefined ? [] : [["requests.storage", roundUpQuantity(storage, 0)] as const]),
    ]);
    const ofClass = [...ofClaim].map(
      ([name, amount]) => [`${className}${classInfix}${name}`, amount] as const,
    );
    return new Map([["count/persistentvolumeclaims", one], ...ofClaim, ...(className === "" ? [] : ofClass)]);
  },
};
