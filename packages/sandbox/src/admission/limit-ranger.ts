import { compareQuantities, type Draft, formatQuantity, type GenericObject } from "@keelson/core";
import type {
  Container,
  LimitRange,
  LimitRangeItem,
  PersistentVolumeClaim,
  Pod,
} from "@keelson/core/kinds/core/v1";
import { decoded } from "../resource/mutable-object.ts";
import type { StoredObjects } from "../resource/stored-objects.ts";
import {
  type AdmissionRequest,
  type MutatingAdmission,
  type PodDraft,
  podOf,
  refused,
  type ValidatingAdmission,
} from "./admission.ts";
import { type Amounts, amountsOf } from "./quota/amounts.ts";
import { podAmounts } from "./quota/pod-resources.ts";

const annotation = "kubernetes.io/limit-ranger";

/** Gives the containers of new pods the default requests and limits of the LimitRanges of their namespace. */
export function limitRangeDefaults(read: StoredObjects): MutatingAdmission {
  return {
    name: "LimitRanger",
    mutate(request, object) {
      if (request.operation !== "CREATE") return;
      const pod = podOf(request, object);
      if (pod !== undefined) for (const range of rangesOf(read, request)) setDefaults(pod, range);
    },
  };
}

/** Refuses pods and claims that are outside of the bounds of a LimitRange of their namespace. */
export function limitRangeBounds(read: StoredObjects): ValidatingAdmission {
  return {
    name: "LimitRanger",
    validate(request, object) {
      const check = checkOf(request);
      if (check === undefined || object === undefined) return;
      if (request.oldObject?.metadata.deletionTimestamp !== undefined) return;
      for (const range of rangesOf(read, request)) {
        const problems = [...new Set((range.spec?.limits ?? []).flatMap((item) => check(item, object)))];
        if (problems.length === 0) continue;
        const [first = ""] = problems;
        throw refused(request, object, problems.length === 1 ? first : `[${problems.join(", ")}]`);
      }
    },
  };
}

function rangesOf(read: StoredObjects, { namespace }: AdmissionRequest): readonly LimitRange[] {
  if (namespace === undefined) return [];
  const ranges = read.list({ group: "", plural: "limitranges" }, namespace);
  return ranges.map((range) => decoded<LimitRange>(range));
}

function setDefaults(pod: PodDraft, { spec }: LimitRange): void {
  const items = (spec?.limits ?? []).filter(({ type }) => type === "Container");
  const limits = Object.assign({}, ...items.map((item) => item.default));
  const requests = Object.assign({}, ...items.map((item) => item.defaultRequest));
  const notes = [
    ...(pod.spec?.containers ?? []).flatMap((one) => fill(one, "container", requests, limits)),
    ...(pod.spec?.initContainers ?? []).flatMap((one) => fill(one, "init container", requests, limits)),
  ];
  if (notes.length === 0) return;
  pod.metadata.annotations = {
    ...pod.metadata.annotations,
    [annotation]: `LimitRanger plugin set: ${notes.join("; ")}`,
  };
}

type ResourceTexts = Readonly<Record<string, string>>;

/** Sets what a container leaves open; returns what the annotation says about it. */
function fill(
  container: Draft<Container>,
  sort: string,
  requests: ResourceTexts,
  limits: ResourceTexts,
): readonly string[] {
  const resources = container.resources ?? {};
  const note = (names: readonly string[], what: string): readonly string[] =>
    names.length === 0 ? [] : [`${names.toSorted().join(", ")} ${what} for ${sort} ${container.name}`];
  const openLimits = Object.keys(limits).filter((name) => resources.limits?.[name] === undefined);
  const openRequests = Object.keys(requests).filter((name) => resources.requests?.[name] === undefined);
  if (openLimits.length > 0) resources.limits = { ...limits, ...resources.limits };
  if (openRequests.length > 0) resources.requests = { ...requests, ...resources.requests };
  if (openLimits.length + openRequests.length > 0) container.resources = resources;
  return [...note(openRequests, "request"), ...note(openLimits, "limit")];
}

type Check = (item: LimitRangeItem, object: GenericObject) => readonly string[];

/** What is checked of a write; undefined: nothing. */
function checkOf({ resource, subresource, operation }: AdmissionRequest): Check | undefined {
  if (resource.group !== "" || (operation !== "CREATE" && operation !== "UPDATE")) return undefined;
  if (resource.plural === "pods") {
    const isChecked = operation === "CREATE" ? subresource === undefined : subresource === "resize";
    return isChecked ? podProblems : undefined;
  }
  return resource.plural === "persistentvolumeclaims" && subresource === undefined
    ? claimProblems
    : undefined;
}

function podProblems(item: LimitRangeItem, object: GenericObject): readonly string[] {
  const { spec } = decoded<Pod>(object);
  if (spec === undefined) return [];
  if (item.type === "Pod") {
    return boundProblems(item, podAmounts(spec, "requests"), podAmounts(spec, "limits"));
  }
  if (item.type !== "Container") return [];
  return [...spec.containers, ...(spec.initContainers ?? [])].flatMap(({ resources }) =>
    boundProblems(item, amountsOf(resources?.requests), amountsOf(resources?.limits)),
  );
}

function boundProblems(item: LimitRangeItem, requests: Amounts, limits: Amounts): readonly string[] {
  const { type } = item;
  return [
    ...problemsOf(item.min, (name, bound) => minimumProblem({ type, name, bound }, requests, limits)),
    ...problemsOf(item.max, (name, bound) => maximumProblem({ type, name, bound }, requests, limits)),
    ...problemsOf(item.maxLimitRequestRatio, (name, bound) =>
      ratioProblem({ type, name, bound }, requests, limits),
    ),
  ];
}

function claimProblems(item: LimitRangeItem, object: GenericObject): readonly string[] {
  if (item.type !== "PersistentVolumeClaim") return [];
  const requests = amountsOf(decoded<PersistentVolumeClaim>(object).spec?.resources?.requests);
  const { type } = item;
  return [
    ...problemsOf(item.min, (name, bound) => minimumProblem({ type, name, bound }, requests, new Map())),
    ...problemsOf(item.max, (name, bound) => {
      const request = requests.get(name);
      const rule = `maximum ${name} usage per ${type} is ${bound}`;
      if (request === undefined) return `${rule}.  No request is specified`;
      return exceeds(request, bound) ? `${rule}, but request is ${formatQuantity(request)}` : undefined;
    }),
  ];
}

function problemsOf(
  bounds: ResourceTexts | undefined,
  check: (name: string, bound: string) => string | undefined,
): readonly string[] {
  return Object.entries(bounds ?? {}).flatMap(([name, bound]) => check(name, bound) ?? []);
}

interface Bound {
  readonly type: string;
  readonly name: string;
  readonly bound: string;
}

type Amount = NonNullable<ReturnType<Amounts["get"]>>;

function boundOf(text: string): Amount {
  const amount = amountsOf({ bound: text }).get("bound");
  return amount ?? { nanos: 0n, format: "DecimalSI" };
}

function exceeds(amount: Amount, bound: string): boolean {
  return compareQuantities(amount, boundOf(bound)) > 0;
}

function fallsShort(amount: Amount, bound: string): boolean {
  return compareQuantities(amount, boundOf(bound)) < 0;
}

function minimumProblem(
  { type, name, bound }: Bound,
  requests: Amounts,
  limits: Amounts,
): string | undefined {
  const [request, limit] = [requests.get(name), limits.get(name)];
  const rule = `minimum ${name} usage per ${type} is ${bound}`;
  if (request === undefined) return `${rule}.  No request is specified`;
  if (fallsShort(request, bound)) return `${rule}, but request is ${formatQuantity(request)}`;
  if (limit === undefined || !fallsShort(limit, bound)) return undefined;
  return `${rule}, but limit is ${formatQuantity(limit)}`;
}

function maximumProblem(
  { type, name, bound }: Bound,
  requests: Amounts,
  limits: Amounts,
): string | undefined {
  const [request, limit] = [requests.get(name), limits.get(name)];
  const rule = `maximum ${name} usage per ${type} is ${bound}`;
  if (limit === undefined) return `${rule}.  No limit is specified`;
  if (exceeds(limit, bound)) return `${rule}, but limit is ${formatQuantity(limit)}`;
  if (request === undefined || !exceeds(request, bound)) return undefined;
  return `${rule}, but request is ${formatQuantity(request)}`;
}

function ratioProblem({ type, name, bound }: Bound, requests: Amounts, limits: Amounts): string | undefined {
  const [request, limit] = [requests.get(name), limits.get(name)];
  const rule = `${name} max limit to request ratio per ${type} is ${bound}`;
  if (!request?.nanos) return `${rule}, but no request is specified or request is 0`;
  if (!limit?.nanos) return `${rule}, but no limit is specified or limit is 0`;
  const ratio = Number(limit.nanos) / Number(request.nanos);
  return ratio * 1e9 > Number(boundOf(bound).nanos)
    ? `${rule}, but provided ratio is ${ratio.toFixed(6)}`
    : undefined;
}
