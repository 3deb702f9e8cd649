import { type JsonPatchOperation, pointer } from "keelson/low-level";
import type { AnnotationKeys } from "../api/annotation-keys.ts";
import type { ReloadPolicy } from "../decision/reload-policy.ts";
import { windowStateAt } from "./restart-window.ts";

/** How long before the end of a restart window a paused Deployment is resumed at the latest. */
const marginMs = 10_000;

/** What is read of a Deployment. */
export interface PausableDeployment {
  readonly metadata: {
    readonly resourceVersion?: string;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly spec?: { readonly paused?: boolean };
}

/** What decides about the pause of a Deployment. */
export interface AccumulateInput {
  readonly deployment: PausableDeployment;
  readonly policy: Pick<ReloadPolicy, "accumulatePeriodMs" | "windows">;
  readonly keys: Pick<AnnotationKeys, "pausedAt">;
  /** Whether there are changes that may be rolled out now. */
  readonly hasChanges: boolean;
  readonly nowMs: number;
}

/**
 * What to do with the pause of a Deployment. The operations belong into one patch with those that change the template, if
 * there are changes: otherwise the Deployment would be rolled out in between. They test what was read, so that a pause of a
 * user is never taken for one of the operator.
 */
export type AccumulateStep =
  /** The pause is none of the operator's business: changes are rolled out, or wait for the user who has paused. */
  | { readonly action: "none"; readonly operations: readonly [] }
  /** The first change: the Deployment is paused until that time. */
  | {
      readonly action: "pause";
      readonly operations: readonly JsonPatchOperation[];
      readonly untilMs: number;
    }
  /** Paused: changes are written to the template, without a rollout; undefined if no restart window will open. */
  | { readonly action: "collect"; readonly operations: readonly []; readonly untilMs: number | undefined }
  /** The collected changes are rolled out. */
  | { readonly action: "resume"; readonly operations: readonly JsonPatchOperation[] }
  /** A user has resumed the Deployment: the mark is removed, so that a later pause of a user is not taken for ours. */
  | { readonly action: "forget"; readonly operations: readonly JsonPatchOperation[] };

/**
 * Upstream's mode for Deployments with a pause period: the first change pauses the Deployment, changes are collected in its
 * template, and when the period is over they are rolled out together. The state is in the Deployment, so that every operator
 * ends a pause that an earlier one has begun, upstream's included.
 */
export function accumulateStep(input: AccumulateInput): AccumulateStep {
  const { deployment, policy, keys, hasChanges, nowMs } = input;
  const isPaused = deployment.spec?.paused === true;
  const pausedAt = deployment.metadata.annotations?.[keys.pausedAt];
  if (!isPaused) {
    if (hasChanges && policy.accumulatePeriodMs !== undefined)
      return pauseStep(input, policy.accumulatePeriodMs);
    if (pausedAt === undefined) return { action: "none", operations: [] };
    return { action: "forget", operations: unmark(keys.pausedAt, pausedAt) };
  }
  // A pause of a user.
  if (pausedAt === undefined) return { action: "none", operations: [] };
  const dueMs = endOfPause(pausedAt, policy.accumulatePeriodMs, nowMs);
  const window = windowStateAt(policy.windows, nowMs);
  if (!window.isOpen) return { action: "collect", operations: [], untilMs: window.nextMs };
  const untilMs = Math.min(dueMs, window.untilMs - marginMs);
  if (untilMs > nowMs) return { action: "collect", operations: [], untilMs };
  const operations: readonly JsonPatchOperation[] = [
    { op: "test", path: "/spec/paused", value: true },
    ...unmark(keys.pausedAt, pausedAt),
    { op: "remove", path: "/spec/paused" },
  ];
  return { action: "resume", operations };
}

function pauseStep({ deployment, policy, keys, nowMs }: AccumulateInput, periodMs: number): AccumulateStep {
  const window = windowStateAt(policy.windows, nowMs);
  const untilMs = Math.min(nowMs + periodMs, window.isOpen ? window.untilMs - marginMs : nowMs);
  // The window is about to close: there is no time to collect.
  if (untilMs <= nowMs) return { action: "none", operations: [] };
  const { resourceVersion, annotations } = deployment.metadata;
  const operations: readonly JsonPatchOperation[] = [
    // A field that is absent cannot be tested, so the whole object is: it may have been paused meanwhile.
    ...(resourceVersion === undefined
      ? []
      : [{ op: "test", path: "/metadata/resourceVersion", value: resourceVersion } as const]),
    { op: "add", path: "/spec/paused", value: true },
    ...(annotations === undefined ? [{ op: "add", path: "/metadata/annotations", value: {} } as const] : []),
    { op: "add", path: pathOf(keys.pausedAt), value: upstreamTime(nowMs) },
  ];
  return { action: "pause", operations, untilMs };
}

/**
 * When a pause ends: at once if its time cannot be read, lies further ahead than the period, or if the Deployment has no
 * valid pause period any more.
 */
function endOfPause(pausedAt: string, periodMs: number | undefined, nowMs: number): number {
  const sinceMs = Date.parse(pausedAt);
  if (periodMs === undefined || Number.isNaN(sinceMs) || sinceMs > nowMs + periodMs) return nowMs;
  return sinceMs + periodMs;
}

function unmark(key: string, value: string): readonly JsonPatchOperation[] {
  const path = pathOf(key);
  return [
    { op: "test", path, value },
    { op: "remove", path },
  ];
}

function pathOf(annotation: string): string {
  return pointer("metadata", "annotations", annotation);
}

/** Upstream reads RFC 3339 with whole seconds. */
function upstreamTime(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}
