import {
  type Channel,
  type Client,
  type Clock,
  ConflictError,
  type ControllerDefinition,
  channelSource,
  controller,
  keyOf,
  mergePatch,
  NotFoundError,
  type ObjectContext,
  type ObjectKey,
  type ReconcileResult,
} from "keelson";
import { mergePatchBetween } from "keelson/client";
import { predicateOf } from "keelson/controller";
import { Pod, type PodStatus } from "keelson/kinds/core/v1";
import type { NodeState } from "../node/node-object.ts";
import { isWaitingFor } from "./container-status.ts";
import { decidePod } from "./decide-pod.ts";
import type { PodMemory, PullRules } from "./pod-memory.ts";
import { invalidAnnotationReason } from "./run-pod.ts";
import type { PodTiming } from "./situation.ts";

/** How many pods are written at once: enough to be limited by the server. */
const concurrency = 16;

/**
 * The controller of all pods that are bound to the hollow nodes of this program. Through the channel come pods that
 * must be looked at again although nothing has happened to them.
 */
export function podController(world: PodWorld, again: Channel<ObjectKey>): ControllerDefinition {
  const isOurs = predicateOf<Pod>((pod) => world.nodeOf(pod.spec?.nodeName ?? "") !== undefined);
  return controller(Pod, { concurrency, predicates: [isOurs], allowSharedName: true, needsLeadership: false })
    .named("hollow-pods")
    .source(
      channelSource<ObjectKey, ObjectKey>({
        name: "hollow nodes",
        channel: again,
        handler: ({ object: key }) => [key],
      }),
    )
    .reconcile((context) => reconcilePod(world, context));
}

/** What the pods of hollow nodes depend on beside themselves. */
export interface PodWorld {
  readonly clock: Clock;
  readonly timing: PodTiming;
  readonly pulls: PullRules;
  readonly memory: PodMemory;
  /** The node of that name, if it is hollow and of this program. */
  readonly nodeOf: (name: string) => HollowNodeFacts | undefined;
}

interface HollowNodeFacts {
  readonly address: string;
  readonly state: NodeState;
}

/** Does for a pod what the kubelet of its node would do now. */
async function reconcilePod(world: PodWorld, context: ObjectContext<Pod>): Promise<ReconcileResult> {
  const { object: pod, client } = context;
  const { clock, timing, pulls, memory } = world;
  const node = world.nodeOf(pod.spec?.nodeName ?? "");
  if (node === undefined || node.state === "silent") return;
  const nowMs = clock.now();
  const changedAtMs = memory.changedAtMs(pod);
  const { status, isReadyToGo, againInMs } = decidePod({
    pod,
    node: { address: node.address, isReady: node.state === "ready" },
    timing,
    canPull: (image) => pulls.canPull(image),
    podIP: memory.addressOf(pod),
    nowMs,
    ...(changedAtMs !== undefined && { changedAtMs }),
  });
  try {
    if (status !== undefined) {
      reportProblem(context, status);
      await writeStatus(client, pod, status);
      memory.noteChange(pod, nowMs);
    }
    if (isReadyToGo === true) await removePod(client, pod);
  } catch (error) {
    // The pod was changed or deleted. Its watch event enqueues it again.
    if (error instanceof ConflictError || error instanceof NotFoundError) return;
    throw error;
  }
  return againInMs === undefined ? undefined : { requeueAfterMs: Math.max(1, Math.ceil(againInMs)) };
}

/** Writes what has changed, and only onto the pod that the decision was made for. */
async function writeStatus(client: Client, pod: Pod, status: PodStatus): Promise<void> {
  const change = mergePatchBetween(pod.status ?? {}, status);
  if (change === undefined) return;
  const { uid, resourceVersion } = pod.metadata;
  const patch = mergePatch({ metadata: { uid, resourceVersion }, status: change });
  await client.status(Pod).patch(keyOf(pod), patch);
}

/** The last word of the node on a pod that was deleted. One that waits for finalizers has had it. */
async function removePod(client: Client, pod: Pod): Promise<void> {
  const { uid = "", deletionGracePeriodSeconds } = pod.metadata;
  if (deletionGracePeriodSeconds === 0) return;
  await client.delete(Pod, keyOf(pod), { gracePeriodSeconds: 0, preconditions: { uid } });
}

/** Once, when it turns out. */
function reportProblem({ object: pod, events, log }: ObjectContext<Pod>, status: PodStatus): void {
  const find = ({ initContainerStatuses = [], containerStatuses = [] }: PodStatus) =>
    [...initContainerStatuses, ...containerStatuses].find((each) =>
      isWaitingFor(each, invalidAnnotationReason),
    );
  const message = find(status)?.state?.waiting?.message;
  if (message === undefined || find(pod.status ?? {})?.state?.waiting?.message === message) return;
  events.record(pod, { type: "Warning", reason: invalidAnnotationReason, action: "Start", message });
  log.warn(`start the containers: ${message}`);
}
