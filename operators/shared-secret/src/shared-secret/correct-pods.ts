import { find, formatKey, type ObjectContext, type Stored } from "keelson";
import { claimantOf } from "../api/claimant.ts";
import { formatConsumer } from "../api/consumer.ts";
import { consumerAnnotation, injectedAnnotation, restartedAtAnnotation } from "../api/names.ts";
import { SharedSecret } from "../api/shared-secret.ts";
import type { SharedSecretStatus } from "../api/status.ts";
import type { ConsumerPod } from "../restart/consumer-pods.ts";
import { firstRetryMs, progressMs, type RestartProgress, restartTarget } from "../restart/restart-target.ts";
import { type RestartTarget, targetsOfPods } from "../restart/restart-targets.ts";
import { missingAccess } from "../webhook/access.ts";
import { type Ask, asksOf, formatInjected } from "../webhook/asks.ts";

/** A workload whose pods are still not as they ought to be is not rolled out again for the same reason within this time. */
const pauseMs = 30_000;

/** Remembers which workloads were rolled out for which access, so that one whose pods stay wrong is not rolled out all the time. */
export class CorrectionPace {
  readonly #last = new Map<string, { readonly access: string; readonly atMs: number }>();

  /** Whether pods of a workload may be restarted to get this access; if so, that counts as done. */
  take(workload: string, access: string, nowMs: number): boolean {
    for (const [key, { atMs }] of this.#last) if (atMs + pauseMs <= nowMs) this.#last.delete(key);
    if (this.#last.get(workload)?.access === access) return false;
    this.#last.set(workload, { access, atMs: nowMs });
    return true;
  }
}

/** A step that was taken for pods that have something else than they are allowed to. */
export interface Correction {
  readonly target: RestartTarget;
  readonly progress: RestartProgress;
}

/**
 * Restarts pods that ask for the SharedSecret and were started with another decision: those that have got it and may not
 * have it any more, and those that wait for it and may have it now. `status` is the one that the webhook sees.
 */
export async function correctPods(
  context: ObjectContext<SharedSecret>,
  pace: CorrectionPace,
  status: SharedSecretStatus,
  pods: readonly ConsumerPod[],
): Promise<readonly Correction[]> {
  const { object, clock } = context;
  const own: Stored<SharedSecret> = { ...object, status };
  const wrong: WrongPod[] = [];
  for (const pod of pods) {
    const expected = await expectedAccess(context, own, pod);
    if (expected !== undefined && expected !== (pod.metadata.annotations?.[injectedAnnotation] ?? ""))
      wrong.push({ pod, expected });
  }
  if (wrong.length === 0) return [];
  const corrections: Correction[] = [];
  const uids = new Set(wrong.map(({ pod }) => pod.metadata.uid));
  const restart = { ...context, allowDeletion: object.spec.restart.allowDeletion, isOverdue: false };
  for (const target of await targetsOfPods(
    context,
    wrong.map(({ pod }) => pod),
  )) {
    const startedAt = startOf(target, wrong, pace, clock.now());
    const isOutdated = ({ metadata }: ConsumerPod): boolean => uids.has(metadata.uid);
    corrections.push({ target, progress: await restartTarget(restart, target, { startedAt, isOutdated }) });
  }
  return corrections;
}

/** How long until the next step of corrections is due; undefined if there are none. */
export function correctionWaitMs(corrections: readonly Correction[]): number | undefined {
  if (corrections.length === 0) return undefined;
  return corrections.every(({ progress }) => progress.state === "failed") ? firstRetryMs : progressMs;
}

/** A pod that has something else than it is allowed to. */
interface WrongPod {
  readonly pod: ConsumerPod;
  /** What its annotation should say that it was given. */
  readonly expected: string;
}

/**
 * From when on pods are right. A pod has the annotation of the template that it was made of: if that is the current one,
 * another rollout has to begin; if not, the pod is being replaced already.
 */
function startOf(
  target: RestartTarget,
  wrong: readonly WrongPod[],
  pace: CorrectionPace,
  nowMs: number,
): string {
  if (target.type === "pods") return new Date(Math.floor(nowMs / 1000) * 1000).toISOString();
  const { restartedAt } = target.workload;
  const text = formatConsumer(target.consumer);
  const current = wrong.find(
    ({ pod: { metadata } }) =>
      metadata.annotations?.[consumerAnnotation] === text &&
      metadata.annotations[restartedAtAnnotation] === restartedAt,
  );
  const begins = current !== undefined && pace.take(text, current.expected, nowMs);
  return begins || restartedAt === undefined ? new Date(nowMs).toISOString() : restartedAt;
}

/**
 * What a pod should have been given: all that it asks for, or nothing. Undefined for a pod without the annotation of the
 * webhook: none was called for it, and none might be for its successor.
 */
async function expectedAccess(
  { client }: ObjectContext<SharedSecret>,
  own: Stored<SharedSecret>,
  pod: ConsumerPod,
): Promise<string | undefined> {
  const claimant = claimantOf(pod);
  if (claimant === undefined) return undefined;
  const { namespace, annotations = {} } = pod.metadata;
  const { asks } = asksOf(annotations, namespace);
  const isAllowed = missingAccess(claimant, asks, await sharedSecretsOf(client, own, asks)).length === 0;
  return isAllowed ? formatInjected(asks) : "";
}

async function sharedSecretsOf(
  client: ObjectContext<SharedSecret>["client"],
  own: Stored<SharedSecret>,
  asks: readonly Ask[],
): Promise<ReadonlyMap<string, Stored<SharedSecret>>> {
  const found = new Map([[formatKey(own.metadata), own]]);
  for (const { secret } of asks) {
    const id = formatKey(secret);
    const other = found.has(id) ? undefined : await find(client, SharedSecret, secret);
    if (other !== undefined) found.set(id, other);
  }
  return found;
}
