import type { Stored } from "keelson";
import type { Pod, PodSpec, PodStatus } from "keelson/kinds/core/v1";
import { decidePod } from "../../src/pod/decide-pod.ts";
import type { PodDecision, PodSituation, PodTiming } from "../../src/pod/situation.ts";

const startMs: number = Date.parse("2026-03-01T12:00:00.250Z");

export const noDelays: PodTiming = {
  startDelayMs: 0,
  initRunMs: 0,
  readyDelayMs: 0,
  runMs: 200,
  terminationDelayMs: 0,
  restartBackoffMs: 10_000,
};

export interface PodParts {
  readonly annotations?: Readonly<Record<string, string>>;
  readonly spec?: Partial<PodSpec>;
  readonly status?: PodStatus;
  readonly metadata?: Pod["metadata"];
}

/** A pod that the scheduler has just bound to a node. */
export function makePod({ annotations = {}, spec, status, metadata }: PodParts = {}): Stored<Pod> {
  const scheduled = { type: "PodScheduled", status: "True", lastTransitionTime: "2026-03-01T12:00:00Z" };
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name: "web",
      namespace: "shop",
      uid: "u-1",
      resourceVersion: "1",
      creationTimestamp: "2026-03-01T12:00:00Z",
      generation: 1,
      annotations,
      ...metadata,
    },
    spec: {
      nodeName: "hollow-1",
      restartPolicy: "Always",
      containers: [{ name: "web", image: "web:1", imagePullPolicy: "IfNotPresent" }],
      ...spec,
    },
    status: { phase: "Pending", qosClass: "BestEffort", conditions: [scheduled], ...status },
  };
}

/** The conditions of a pod that a test may change. */
export type SituationChanges = Partial<Omit<PodSituation, "pod" | "nowMs" | "timing">> & {
  readonly timing?: Partial<PodTiming>;
};

/** A pod and a clock: decisions are carried out as the API server would. */
export class PodStory {
  pod: Pod;
  nowMs: number = startMs;
  changes: SituationChanges;
  #changedAtMs: number | undefined;

  constructor(pod: Pod, changes: SituationChanges = {}) {
    this.pod = pod;
    this.changes = changes;
  }

  /** One look at the pod. */
  decide(): PodDecision {
    const { timing, ...rest } = this.changes;
    return decidePod({
      pod: this.pod,
      node: { address: "172.16.0.1", isReady: true },
      canPull: () => true,
      podIP: "10.128.0.1",
      nowMs: this.nowMs,
      ...(this.#changedAtMs !== undefined && { changedAtMs: this.#changedAtMs }),
      ...rest,
      timing: { ...noDelays, ...timing },
    });
  }

  /** Looks, and writes the status if there is one. */
  step(): PodDecision {
    const decision = this.decide();
    if (decision.status !== undefined) {
      this.pod = { ...this.pod, status: decision.status };
      this.#changedAtMs = this.nowMs;
    }
    return decision;
  }

  /** Steps through everything that is due, as often as decisions ask for it, and then waits. */
  pass(ms: number): void {
    const endMs = this.nowMs + ms;
    for (let looks = 0; looks < 100; looks += 1) {
      const { againInMs } = this.step();
      if (againInMs === undefined || this.nowMs + againInMs > endMs) break;
      this.nowMs += Math.max(1, againInMs);
    }
    this.nowMs = endMs;
    this.step();
  }

  /** This program forgets what it knows beside the pod. */
  restart(): void {
    this.#changedAtMs = undefined;
  }

  /** A user deletes the pod. */
  delete(graceSeconds: number): void {
    const end = new Date(this.nowMs + graceSeconds * 1000).toISOString().replace(/\.\d{3}Z/, "Z");
    const { metadata } = this.pod;
    this.pod = {
      ...this.pod,
      metadata: { ...metadata, deletionTimestamp: end, deletionGracePeriodSeconds: graceSeconds },
    };
  }

  get phase(): string | undefined {
    return this.pod.status?.phase;
  }

  /** The condition's status, and its reason if it has one: `True`, `False ContainersNotReady`. */
  condition(type: string): string | undefined {
    const found = this.pod.status?.conditions?.find((each) => each.type === type);
    return found && [found.status, found.reason].filter(Boolean).join(" ");
  }

  /** `waiting ErrImagePull`, `running`, `terminated 0`; of all containers, init first. */
  get containers(): readonly string[] {
    const { initContainerStatuses = [], containerStatuses = [] } = this.pod.status ?? {};
    return [...initContainerStatuses, ...containerStatuses].map(({ state }) => {
      if (state?.waiting !== undefined) return `waiting ${state.waiting.reason}`;
      if (state?.terminated !== undefined) return `terminated ${state.terminated.exitCode}`;
      return state?.running === undefined ? "nothing" : "running";
    });
  }

  get restarts(): number | undefined {
    return this.pod.status?.containerStatuses?.[0]?.restartCount;
  }
}
