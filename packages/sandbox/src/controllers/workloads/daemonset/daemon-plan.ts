import type { Clock, Stored } from "@keelson/core";
import type { DaemonSet, DaemonSetStatus } from "@keelson/core/kinds/apps/v1";
import type { Node, Pod } from "@keelson/core/kinds/core/v1";
import { byCreation, isBeingDeleted, isPodAvailable, isPodReady } from "../pod-state.ts";
import { nonZero, scaledCount } from "../replica-counts.ts";
import { daemonSpec, isUpdated, targetNode } from "./daemon-pod.ts";
import { fitOf, type NodeFit } from "./node-fit.ts";

/** What is known of a DaemonSet when it is decided what to do. */
export interface DaemonFacts {
  readonly set: Stored<DaemonSet>;
  readonly hash: string;
  readonly nodes: readonly NodeFacts[];
  /** The unbound pods whose target node does not exist. */
  readonly strayPods: readonly Stored<Pod>[];
  readonly now: number;
}

interface NodeFacts {
  readonly name: string;
  readonly fit: NodeFit;
  /** Those on nodes first, then the oldest. */
  readonly pods: readonly Stored<Pod>[];
}

export interface DaemonPlan {
  readonly createOn: readonly string[];
  readonly remove: readonly Stored<Pod>[];
}

export function daemonFacts(
  set: Stored<DaemonSet>,
  hash: string,
  nodes: readonly Stored<Node>[],
  pods: readonly Stored<Pod>[],
  now: number,
): DaemonFacts {
  const spec = daemonSpec(set.spec?.template ?? {});
  const byNode = Map.groupBy(pods, (pod) => targetNode(pod) ?? "");
  const isBound = (pod: Stored<Pod>): number => Number((pod.spec?.nodeName ?? "") !== "");
  const names = new Set<string | undefined>(nodes.map(({ metadata }) => metadata.name));
  return {
    set,
    hash,
    nodes: nodes.map((node) => ({
      name: node.metadata.name,
      fit: fitOf(node, spec),
      pods: (byNode.get(node.metadata.name) ?? []).toSorted(
        (a, b) => isBound(b) - isBound(a) || byCreation(a, b),
      ),
    })),
    strayPods: pods.filter((pod) => isBound(pod) === 0 && !names.has(targetNode(pod))),
    now,
  };
}

/** Which nodes lack a pod, and which pods have no place. Pods that failed or ended make room for new ones. */
export function planPlacement(facts: DaemonFacts): DaemonPlan {
  const createOn: string[] = [];
  const remove: Stored<Pod>[] = [...facts.strayPods];
  for (const node of facts.nodes) {
    const staying = node.pods.filter((pod) => !isBeingDeleted(pod));
    if (node.fit.shouldRun && node.pods.length === 0) createOn.push(node.name);
    else if (!node.fit.mayStay) remove.push(...staying);
    else {
      const done = staying.filter(
        ({ status }) => status?.phase === "Failed" || status?.phase === "Succeeded",
      );
      const running = staying.filter((pod) => !done.includes(pod));
      remove.push(...done, ...surplus(facts, running));
      if (surgeOf(facts) > 0 && running.length === 0 && node.fit.shouldRun) createOn.push(node.name);
    }
  }
  return { createOn, remove };
}

/** One pod to a node; while an update surges, one old and one new, until the new one is available. */
function surplus(facts: DaemonFacts, running: readonly Stored<Pod>[]): readonly Stored<Pod>[] {
  if (surgeOf(facts) === 0) return running.slice(1);
  const { set, hash, now } = facts;
  const [fresh, ...otherFresh] = running.filter((pod) => isUpdated(set, pod, hash));
  const [old, ...otherOld] = running.filter((pod) => !isUpdated(set, pod, hash));
  const isReplaced =
    fresh !== undefined && old !== undefined && (!isPodReady(old) || isAvailable(set, fresh, now))
      ? [old]
      : [];
  return [...otherFresh, ...otherOld, ...isReplaced];
}

function isAvailable({ spec }: Stored<DaemonSet>, pod: Stored<Pod>, now: number): boolean {
  return isPodAvailable(pod, spec?.minReadySeconds ?? 0, now);
}

function desiredCount({ nodes }: DaemonFacts): number {
  return nodes.filter(({ fit }) => fit.shouldRun).length;
}

function surgeOf(facts: DaemonFacts): number {
  const { updateStrategy } = facts.set.spec ?? {};
  if (updateStrategy?.type === "OnDelete") return 0;
  return scaledCount(updateStrategy?.rollingUpdate?.maxSurge, desiredCount(facts), "up");
}

/** Which old pods an update takes away, and where it puts new ones beside old ones. */
export function planUpdate(facts: DaemonFacts): DaemonPlan {
  const { updateStrategy } = facts.set.spec ?? {};
  if (updateStrategy?.type === "OnDelete") return { createOn: [], remove: [] };
  const surge = surgeOf(facts);
  if (surge > 0) return planSurge(facts, surge);
  const given = updateStrategy?.rollingUpdate?.maxUnavailable ?? 1;
  // With no surge, something must be allowed to be missing.
  return planReplacement(facts, Math.max(1, scaledCount(given, desiredCount(facts), "up")));
}

function planReplacement(facts: DaemonFacts, maxUnavailable: number): DaemonPlan {
  const { set, now } = facts;
  const broken: Stored<Pod>[] = [];
  const candidates: Stored<Pod>[] = [];
  let unavailable = 0;
  for (const node of facts.nodes) {
    if (node.pods.length === 0) continue;
    const found = pairOf(facts, node);
    if (found === undefined || (found.old === undefined) === (found.fresh === undefined)) unavailable++;
    else if (found.old === undefined) {
      if (found.fresh !== undefined && !isAvailable(set, found.fresh, now)) unavailable++;
    } else if (isAvailable(set, found.old, now)) candidates.push(found.old);
    else {
      broken.push(found.old);
      unavailable++;
    }
  }
  return {
    createOn: [],
    remove: [...broken, ...candidates.slice(0, Math.max(0, maxUnavailable - unavailable))],
  };
}

function planSurge(facts: DaemonFacts, maxSurge: number): DaemonPlan {
  const { set, now } = facts;
  const remove: Stored<Pod>[] = [];
  const urgent: string[] = [];
  const candidates: string[] = [];
  let surging = 0;
  for (const node of facts.nodes) {
    const found = pairOf(facts, node);
    if (found === undefined) surging++;
    else if (found.old === undefined) continue;
    else if (found.fresh !== undefined) {
      if (isAvailable(set, found.fresh, now)) remove.push(found.old);
      else surging++;
    } else if (!node.fit.shouldRun) remove.push(found.old);
    else if (isAvailable(set, found.old, now)) candidates.push(node.name);
    else urgent.push(node.name);
  }
  return { createOn: [...urgent, ...candidates.slice(0, Math.max(0, maxSurge - surging))], remove };
}

interface PodPair {
  readonly fresh: Stored<Pod> | undefined;
  readonly old: Stored<Pod> | undefined;
}

/** Undefined if the node has two old or two new pods: the placement removes one first. */
function pairOf({ set, hash }: DaemonFacts, { pods }: NodeFacts): PodPair | undefined {
  const staying = pods.filter((pod) => !isBeingDeleted(pod));
  const fresh = staying.filter((pod) => isUpdated(set, pod, hash));
  const old = staying.filter((pod) => !isUpdated(set, pod, hash));
  return fresh.length > 1 || old.length > 1 ? undefined : { fresh: fresh[0], old: old[0] };
}

export function daemonStatus(facts: DaemonFacts): DaemonSetStatus {
  const { set, hash, nodes, now } = facts;
  const desired = nodes.filter(({ fit }) => fit.shouldRun);
  const first = desired.flatMap(({ pods: [pod] }) => (pod === undefined ? [] : [pod]));
  const ready = first.filter(isPodReady);
  const available = ready.filter((pod) => isAvailable(set, pod, now)).length;
  const { collisionCount, conditions } = set.status ?? {};
  return {
    currentNumberScheduled: first.length,
    desiredNumberScheduled: desired.length,
    numberMisscheduled: nodes.filter(({ fit, pods }) => !fit.shouldRun && pods.length > 0).length,
    numberReady: ready.length,
    ...nonZero({
      numberAvailable: available,
      numberUnavailable: desired.length - available,
      updatedNumberScheduled: first.filter((pod) => isUpdated(set, pod, hash)).length,
      observedGeneration: set.metadata.generation,
    }),
    ...(collisionCount === undefined ? {} : { collisionCount }),
    ...(conditions === undefined ? {} : { conditions }),
  };
}

/** How often something that fails may be tried again: at once, then after 1 s, 2 s and so on, up to 15 minutes. */
export interface RemovalDelays {
  /** 0 if it may be tried now, which then counts; else how long to wait. */
  take(key: string): number;
}

const firstMs = 1000;
const longestMs = 900_000;

export function createRemovalDelays(clock: Clock): RemovalDelays {
  const entries = new Map<string, { readonly delayMs: number; readonly atMs: number }>();
  return {
    take(key) {
      const now = clock.monotonicNow();
      const entry = entries.get(key);
      if (entry !== undefined && now < entry.atMs + entry.delayMs) return entry.atMs + entry.delayMs - now;
      // After a long quiet time, it begins anew.
      const isFresh = entry === undefined || now > entry.atMs + 2 * longestMs;
      entries.set(key, { delayMs: isFresh ? firstMs : Math.min(entry.delayMs * 2, longestMs), atMs: now });
      for (const [other, { atMs }] of entries) if (now > atMs + 2 * longestMs) entries.delete(other);
      return 0;
    },
  };
}
