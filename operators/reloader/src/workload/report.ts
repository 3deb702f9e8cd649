import type { ReconcileContext } from "keelson";
import type { ReloadAlert } from "../alerts/alert.ts";
import { ReloadWebhookError } from "../alerts/reload-webhook.ts";
import type { ReloadRecordStatus } from "../api/reload-record.ts";
import {
  changeNotifiedEvent,
  circuitClosedEvent,
  invalidAnnotationEvent,
  reloadedEvent,
  reloadFailedEvent,
  rolloutPausedEvent,
  rolloutResumedEvent,
  waitEvent,
} from "../events.ts";
import type { MeasuredReload, SkipReason } from "../metrics.ts";
import type { ReloadRequest, ResourceChange } from "../reload/reload-request.ts";
import { formatRef } from "../resource/watched-resource.ts";
import type { AccumulateStep } from "../timing/accumulate.ts";
import { circuitOpenUntil } from "../timing/circuit-breaker.ts";
import type { Gate, WaitReason } from "../timing/gate.ts";
import type { Scope } from "./gather.ts";
import type { ReloaderParts } from "./parts.ts";
import { configsOf } from "./record-status.ts";
import { formatWorkload, type WorkloadRef } from "./workload-kind.ts";

type Context = ReconcileContext<WorkloadRef>;

/** Reports what happens to a workload: in the log, by Events, metrics and alerts. */
export class Reporter {
  readonly #context: Context;
  readonly #parts: ReloaderParts;
  readonly #scope: Scope;

  constructor(context: Context, parts: ReloaderParts, scope: Scope) {
    this.#context = context;
    this.#parts = parts;
    this.#scope = scope;
  }

  /** Annotations that have no effect. */
  problems(problems: readonly string[]): void {
    for (const problem of new Set(problems))
      if (this.#parts.shownProblems.isNew(this.#context.key, problem))
        this.#event(invalidAnnotationEvent(problem));
  }

  /** Changes that are about to be rolled out. The texts are those that users of the seed search for. */
  changed(changes: readonly ResourceChange[]): void {
    const { log } = this.#context;
    this.#parts.metrics.matched(this.#context.key.kind);
    for (const { resource, from, to } of changes) {
      const { kind, namespace, name } = resource;
      log.info(`${kind} data changed`, { oldHash: from, newHash: to, resource: { kind, namespace, name } });
    }
    const { kind, name } = this.#context.key;
    log.info("Found targets for reload", { totalTargets: 1, kind, name });
  }

  reloaded(request: ReloadRequest): void {
    const { kind, namespace, name } = this.#context.key;
    const { strategy, changes } = request;
    this.#context.log.info("Successfully triggered reload", {
      ...{ kind, name, namespace, strategy },
      resources: changes.map(({ resource }) => formatRef(resource)),
    });
    this.#eventOnAll(request.changes, reloadedEvent(this.#context.key, refsOf(changes)));
    this.#parts.metrics.reloaded(this.#measured(request));
    this.#alert("reloaded", request);
  }

  failed(request: ReloadRequest, error: Error): void {
    const { key, log, failures } = this.#context;
    log.error("Failed to trigger reload", { kind: key.kind, name: key.name, error });
    this.#eventOnAll(request.changes, reloadFailedEvent(key, error.message));
    this.#parts.metrics.reloadFailed(this.#measured(request));
    this.#parts.metrics.failed(error instanceof ReloadWebhookError ? "webhook_send" : "update_workload");
    if (failures > 0) this.#parts.metrics.retried();
    // One alert for a failure, however often it is retried.
    if (failures === 0) this.#alert("failed", request, error);
  }

  notified(request: ReloadRequest): void {
    const { key, log } = this.#context;
    this.#parts.metrics.matched(key.kind);
    log.info("Change is reported only, by the mode notify", { kind: key.kind, name: key.name });
    this.#eventOnAll(request.changes, changeNotifiedEvent(key, refsOf(request.changes)));
    this.#parts.metrics.notified(this.#measured(request));
    this.#alert("notified", request);
  }

  /** Changes wait, which they did not before, or for another reason. */
  waits(changes: readonly ResourceChange[], gate: Gate & { readonly open: false }): void {
    const { key, log } = this.#context;
    const { reason, untilMs } = gate;
    const until = untilMs === undefined ? undefined : new Date(untilMs).toISOString();
    log.info(waitTexts[reason], { kind: key.kind, name: key.name, ...(until !== undefined && { until }) });
    this.#parts.metrics.skipped(skipReasons[reason]);
    const event = waitEvent(gate, refsOf(changes), this.#parts.breaker);
    if (event !== undefined) this.#eventOnAll(changes, event);
  }

  /** The rollout of a Deployment was paused to collect changes, or resumed. */
  paused(step: AccumulateStep, changes: readonly ResourceChange[]): void {
    if (step.action === "pause") this.#event(rolloutPausedEvent(refsOf(changes), step.untilMs));
    if (step.action === "resume") this.#event(rolloutResumedEvent());
  }

  circuitClosed(): void {
    this.#event(circuitClosedEvent(this.#parts.breaker));
  }

  /** The metrics show what was recorded. */
  shown(status: ReloadRecordStatus): void {
    const { key, clock } = this.#context;
    const openUntilMs = circuitOpenUntil(status.recentReloads ?? [], this.#parts.breaker, clock.now());
    this.#parts.metrics.show(key, status, openUntilMs);
  }

  #event(event: Parameters<Context["events"]["record"]>[1]): void {
    this.#context.events.record(this.#scope.workload.object, event);
  }

  #eventOnAll(changes: readonly ResourceChange[], event: Parameters<Context["events"]["record"]>[1]): void {
    this.#event(event);
    for (const config of configsOf(this.#scope.matches, changes)) this.#context.events.record(config, event);
  }

  #alert(outcome: ReloadAlert["outcome"], request: ReloadRequest, error?: Error): void {
    const configs = configsOf(this.#scope.matches, request.changes);
    const { strategy, changes, time } = request;
    this.#parts.sendAlert(
      {
        ...{ outcome, strategy, time, workload: this.#context.key },
        changes: refsOf(changes),
        ...(error !== undefined && { error: error.message }),
        configs: configs.map(({ metadata: { namespace, name } }) => ({ namespace, name })),
      },
      configs,
    );
  }

  #measured({ strategy, changes }: ReloadRequest): MeasuredReload {
    const { key, clock } = this.#context;
    const nowMs = clock.now();
    const changed = new Set(changes.map(({ resource }) => formatRef(resource)));
    const isOfConfig = this.#scope.matches.some(
      ({ resource, origin }) => origin.type === "config" && changed.has(formatRef(resource)),
    );
    const { since, until } = this.#scope.record?.status?.pending ?? {};
    const seenMs = this.#parts.coalescing.seenAt(key) ?? nowMs;
    // A change that had to wait could not be rolled out before.
    const dueMs = until === undefined ? seenMs : Math.max(seenMs, Date.parse(until));
    return {
      ...{ workload: key, strategy, changes },
      origin: isOfConfig ? "config" : "annotations",
      actionMs: Math.max(0, nowMs - dueMs),
      changeMs: Math.max(0, nowMs - (since === undefined ? seenMs : Date.parse(since))),
    };
  }
}

const waitTexts: Readonly<Record<WaitReason, string>> = {
  Paused: "Skipping reload - workload is paused",
  OutsideWindow: "Skipping reload - no restart window is open",
  CircuitOpen: "Skipping reload - circuit breaker is open",
  RateLimited: "Skipping reload - rate limit is reached",
  Collecting: "Collecting changes",
};

const skipReasons: Readonly<Record<WaitReason, SkipReason>> = {
  Paused: "paused",
  OutsideWindow: "outside_window",
  CircuitOpen: "circuit_open",
  RateLimited: "rate_limited",
  Collecting: "rate_limited",
};

function refsOf(changes: readonly ResourceChange[]): readonly ResourceChange["resource"][] {
  return changes.map(({ resource }) => resource);
}

/** Remembers which problems of workloads were reported, so that a reconcile does not report them again. */
export class ShownProblems {
  readonly #shown = new Map<string, Set<string>>();

  /** True once for each problem of a workload, until the workload is forgotten. */
  isNew(workload: WorkloadRef, problem: string): boolean {
    const key = formatWorkload(workload);
    const shown = this.#shown.get(key) ?? new Set();
    if (shown.has(problem)) return false;
    this.#shown.set(key, shown.add(problem));
    return true;
  }

  forget(workload: WorkloadRef): void {
    this.#shown.delete(formatWorkload(workload));
  }
}
