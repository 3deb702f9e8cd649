import type { Client } from "@keelson/client";
import {
  type CancelTimer,
  type Clock,
  KeelsonError,
  type KubeObject,
  qualifiedNameProblem,
  type Random,
} from "@keelson/core";
import type { EventRecorder, EventToRecord } from "../../controller/event-recorder.ts";
import type { Logger } from "../../logger.ts";
import { steadyLogger } from "../../steady-logger.ts";
import { EventCorrelator } from "./correlator.ts";
import {
  DropReport,
  type EventDropReason,
  type EventObserver,
  factsOf,
  factsOfAttempt,
} from "./drop-report.ts";
import { EventSender } from "./event-sender.ts";
import {
  coreV1Form,
  type EventSource,
  eventNames,
  eventsV1Form,
  eventWriter,
  type WriteEvent,
} from "./event-writer.ts";
import { occurrenceOf } from "./occurrence.ts";

/** Settings with which the API server would refuse every Event. The message lists every problem. */
export class InvalidEventRecorderError extends KeelsonError {
  static override readonly brand: string = "keelson.InvalidEventRecorderError";
  readonly code = "INVALID_EVENT_RECORDER";
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(`set up an event recorder: ${problems.join("; ")}`);
    this.problems = problems;
  }
}

/** What a recorder works with. */
export interface EventRecorderOptions extends EventSource {
  /** Needs the verbs create and patch on the events of the API. */
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  /** Receives the dropped events. Default: nothing is logged. */
  readonly log?: Logger;
  readonly observer?: EventObserver;
  /** The API by which Events are written, which decides how repetitions are counted. Default events.k8s.io/v1. */
  readonly api?: "events.k8s.io/v1" | "core/v1";
}

/**
 * Writes Events in the background [EVR1–EVR3]. Messages are sent as they are: they must not contain a secret, since every
 * user who may read Events can read them.
 */
export interface ApiEventRecorder extends EventRecorder {
  /** Writes all waiting Events, and the counts of open series; throws the signal's reason when it aborts. */
  flush(signal?: AbortSignal): Promise<void>;
  /** Drops the waiting Events. When it resolves, no timer and no request is left. Later events are dropped. */
  stop(): Promise<void>;
  /** How many events were dropped, by reason. */
  readonly drops: ReadonlyMap<EventDropReason, number>;
}

/** Creates a recorder. Throws an InvalidEventRecorderError if the server would refuse every Event of such a source. */
export function createEventRecorder(options: EventRecorderOptions): ApiEventRecorder {
  const problems = problemsOf(options);
  if (problems.length > 0) throw new InvalidEventRecorderError(problems);
  return new BackgroundRecorder(options);
}

const longestInstance = 128;

function problemsOf({ reportingController, reportingInstance }: EventSource): readonly string[] {
  const nameProblem = qualifiedNameProblem(reportingController);
  const bytes = Buffer.byteLength(reportingInstance);
  return [
    ...(nameProblem === undefined ? [] : [`reportingController ${nameProblem}`]),
    ...(bytes >= 1 && bytes <= longestInstance
      ? []
      : [`reportingInstance must have 1 to ${longestInstance} bytes, it has ${bytes}`]),
  ];
}

function writerFor({
  client,
  api,
  reportingController,
  reportingInstance,
}: EventRecorderOptions): WriteEvent {
  const source = { reportingController, reportingInstance };
  return api === "core/v1"
    ? eventWriter(client, coreV1Form(source))
    : eventWriter(client, eventsV1Form(source));
}

/** The minimum delay between two sweeps, since a sweep visits all tracked Events. */
const shortestSweepMs = 1_000;

class BackgroundRecorder implements ApiEventRecorder {
  readonly #clock: Clock;
  readonly #correlator: EventCorrelator;
  readonly #sender: EventSender;
  readonly #report: DropReport;
  #cancelSweep: CancelTimer | undefined;
  #isStopped = false;

  constructor(options: EventRecorderOptions) {
    const { clock, random, observer, api } = options;
    const log = steadyLogger(options.log);
    const report = new DropReport(log, observer);
    this.#clock = clock;
    this.#report = report;
    this.#correlator = new EventCorrelator({
      clock,
      nameFor: eventNames(clock, random),
      repetitions: api === "core/v1" ? "count" : "series",
    });
    this.#sender = new EventSender({
      write: writerFor(options),
      clock,
      random,
      onSent: (how) => report.sent(how),
      onDrop: (reason, event, error) => report.drop(reason, factsOf(event), error),
    });
  }

  record(object: KubeObject, event: EventToRecord): void {
    try {
      this.#record(object, event);
    } catch (error) {
      // An invalid event must not fail the caller [EVR1].
      this.#report.drop("malformed", factsOfAttempt(object, event), error);
    }
  }

  get drops(): ReadonlyMap<EventDropReason, number> {
    return this.#report.counts;
  }

  async flush(signal?: AbortSignal): Promise<void> {
    for (const event of this.#correlator.unsaved()) this.#sender.add(event);
    await this.#sender.idle(signal);
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancelSweep?.();
    await this.#sender.stop();
  }

  #record(object: KubeObject, toRecord: EventToRecord): void {
    const occurrence = occurrenceOf(object, toRecord, this.#clock.now());
    if (this.#isStopped || occurrence === undefined) {
      const facts = factsOfAttempt(object, toRecord);
      this.#report.drop(this.#isStopped ? "stopped" : "no_reference", facts);
      return;
    }
    const { event, verdict, displaced } = this.#correlator.observe(occurrence);
    for (const old of displaced) this.#sender.add(old);
    if (verdict === "write") this.#sender.add(event);
    if (verdict === "spam") this.#report.drop("spam", factsOf(event));
    if (this.#cancelSweep === undefined) this.#planSweep();
  }

  /** A due time never moves to an earlier moment, so one timer, for the earliest, is enough. */
  #planSweep(): void {
    const dueMs = this.#correlator.nextDueMs;
    if (dueMs === undefined) return;
    const delayMs = Math.max(dueMs - this.#clock.monotonicNow(), shortestSweepMs);
    this.#cancelSweep = this.#clock.schedule(delayMs, () => {
      this.#cancelSweep = undefined;
      for (const event of this.#correlator.due()) this.#sender.add(event);
      this.#planSweep();
    });
  }
}
