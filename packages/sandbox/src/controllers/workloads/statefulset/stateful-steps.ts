import type { Stored } from "@keelson/core";
import type { StatefulSet } from "@keelson/core/kinds/apps/v1";
import type { Pod } from "@keelson/core/kinds/core/v1";
import type { ControllerContext } from "../../controller.ts";
import { templateOf } from "../controller-revisions.ts";
import { slowStart } from "../pod-control.ts";
import { isBeingDeleted, isPodAvailable, isPodDone } from "../pod-state.ts";
import {
  firstOrdinal,
  hasIdentity,
  isInRange,
  makeStatefulPod,
  ordinalOf,
  revisionOfPod,
} from "./stateful-pod.ts";
import {
  createClaims,
  createStatefulPod,
  deleteStatefulPod,
  isClaimStale,
  restoreIdentity,
  syncClaimOwners,
} from "./stateful-pod-control.ts";
import { isRunningAndReady, type StatefulRevisions } from "./stateful-status.ts";

export interface StatefulRun {
  readonly context: ControllerContext;
  readonly set: Stored<StatefulSet>;
  readonly revisions: StatefulRevisions;
  readonly pods: readonly Stored<Pod>[];
  readonly now: number;
}

/** An ordinal of the set, and its pod, if it exists. */
interface Place {
  readonly ordinal: number;
  readonly pod: Stored<Pod> | undefined;
}

/** One pass over the pods, in their order: fill the places, then take away what is too much, then update. */
export async function takeSteps(run: StatefulRun): Promise<void> {
  const { set, pods } = run;
  const isOrdered = set.spec?.podManagementPolicy !== "Parallel";
  const byOrdinal = new Map(pods.map((pod) => [ordinalOf(set, pod) ?? -1, pod]));
  const places = Array.from({ length: set.spec?.replicas ?? 1 }, (_, index): Place => {
    const ordinal = firstOrdinal(set) + index;
    return { ordinal, pod: byOrdinal.get(ordinal) };
  });
  const condemned = pods
    .filter((pod) => !isInRange(set, ordinalOf(set, pod) ?? -1))
    .toSorted((a, b) => (ordinalOf(set, b) ?? 0) - (ordinalOf(set, a) ?? 0));
  const firstUnavailable = [...places.map(({ pod }) => pod), ...condemned.toReversed()].find(
    (pod) => pod === undefined || isUnavailable(run, pod),
  );
  if (!(await forAll(places, isOrdered, (place) => fillPlace(run, place, isOrdered)))) return;
  for (const pod of condemned) await syncClaimOwners(run.context, set, pod);
  if (!(await forAll(condemned, isOrdered, (pod) => condemn(run, pod, isOrdered, firstUnavailable)))) return;
  if (set.spec?.updateStrategy?.type !== "OnDelete") await update(run, places);
}

/** In order, each only if the one before is settled; or all at once. Whether everything is settled. */
async function forAll<Item>(
  items: readonly Item[],
  isOrdered: boolean,
  act: (item: Item) => Promise<boolean>,
): Promise<boolean> {
  if (!isOrdered) {
    await slowStart(items.length, async (index) => {
      const item = items[index];
      if (item !== undefined) await act(item);
    });
    return true;
  }
  for (const item of items) if (!(await act(item))) return false;
  return true;
}

function isUnavailable({ set, now }: StatefulRun, pod: Stored<Pod>): boolean {
  return !isPodAvailable(pod, set.spec?.minReadySeconds ?? 0, now) || isBeingDeleted(pod);
}

/** Whether the place is settled, so that the next one may follow. */
async function fillPlace(run: StatefulRun, { ordinal, pod }: Place, isOrdered: boolean): Promise<boolean> {
  const { context, set } = run;
  if (pod === undefined) {
    const made = makePodFor(run, ordinal);
    if (isClaimStale(context, set, made)) return false;
    await createStatefulPod(context, set, made);
    return !isOrdered;
  }
  if (isPodDone(pod)) {
    if (!isBeingDeleted(pod)) await deleteStatefulPod(context, set, pod);
    return false;
  }
  if (pod.status?.phase === "Pending") {
    await createClaims(context, set, pod);
    await syncClaimOwners(context, set, pod);
  }
  if (isOrdered && (!isRunningAndReady(pod) || isUnavailable(run, pod))) return false;
  await syncClaimOwners(context, set, pod);
  if (!hasIdentity(pod)) await restoreIdentity(context, set, pod, ordinal);
  return true;
}

/** The pod for an ordinal: of the current revision below the partition, else of the update revision. */
function makePodFor({ set, revisions }: StatefulRun, ordinal: number): Pod {
  const { type, rollingUpdate } = set.spec?.updateStrategy ?? {};
  const kept =
    rollingUpdate === undefined
      ? type === "OnDelete"
        ? 0
        : (set.status?.currentReplicas ?? 0)
      : (rollingUpdate.partition ?? 0);
  const revision = ordinal < firstOrdinal(set) + kept ? revisions.current : revisions.update;
  return makeStatefulPod(set, templateOf(revision), revision.metadata.name, ordinal);
}

async function condemn(
  run: StatefulRun,
  pod: Stored<Pod>,
  isOrdered: boolean,
  firstUnavailable: Stored<Pod> | undefined,
): Promise<boolean> {
  if (isBeingDeleted(pod)) return !isOrdered;
  const mustWait =
    isOrdered && pod !== firstUnavailable && (!isRunningAndReady(pod) || isUnavailable(run, pod));
  if (!mustWait) await deleteStatefulPod(run.context, run.set, pod);
  return false;
}

/** Deletes the last pod of the old revision, unless another is unavailable. */
async function update(run: StatefulRun, places: readonly Place[]): Promise<void> {
  const { context, set, revisions } = run;
  const { partition = 0 } = set.spec?.updateStrategy?.rollingUpdate ?? {};
  if (places.some(({ pod }) => pod === undefined || isUnavailable(run, pod))) return;
  const outdated = places
    .slice(Math.min(partition, places.length))
    .flatMap(({ pod }) => (pod === undefined ? [] : [pod]))
    .findLast((pod) => revisionOfPod(pod) !== revisions.update.metadata.name && !isBeingDeleted(pod));
  if (outdated !== undefined) await deleteStatefulPod(context, set, outdated);
}
