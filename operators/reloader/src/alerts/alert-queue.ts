import type { EventRecorder, Logger } from "keelson";
import { aborted, sleep, toError } from "keelson/low-level";
import { EventReason } from "../api/reasons.ts";
import { formatWorkload } from "../workload/workload-kind.ts";
import type { ReloadAlert } from "./alert.ts";
import type { AlertChannel } from "./alert-channel.ts";
import type { AlertMetrics } from "./alert-metrics.ts";
import { type SendDependencies, sendAlert } from "./send-alert.ts";
import { failure } from "./timed-post.ts";

export interface AlertQueueOptions {
  readonly metrics: AlertMetrics;
  /** How many alerts may wait, for all channels together. Default: 5000. */
  readonly capacity?: number;
  /** How many may wait for one channel. Default: 1000. */
  readonly channelCapacity?: number;
}

/** What it takes to send the alerts of a queue. */
export interface AlertQueueDependencies extends SendDependencies {
  readonly log: Logger;
  readonly events: EventRecorder;
  /** The administrator's text for all alerts. */
  readonly additionalInfo: string | undefined;
}

interface QueuedAlert {
  readonly alert: ReloadAlert;
  readonly channel: AlertChannel;
}

/** Before `run`, while it sends, and after it. */
type QueueState =
  | { readonly name: "new" | "stopped" }
  | { readonly name: "running"; readonly dependencies: AlertQueueDependencies; readonly signal: AbortSignal };

/** When the queue stops, alerts that wait are sent for so long; then they are dropped. */
const drainMs = 5_000;

/**
 * Sends alerts apart from the reloads that they report: `send` never waits. Each channel has a queue of its own, so
 * a slow endpoint delays no other channel; the alerts of one channel are sent in order. The queues are bounded: the oldest
 * alert makes room for the newest, and is counted as dropped. An alert may arrive twice, if the response of an
 * endpoint was lost, and is lost if the process ends before it is sent.
 */
export class AlertQueue {
  readonly #metrics: AlertMetrics;
  readonly #capacity: number;
  readonly #channelCapacity: number;
  /** All alerts that wait, oldest first. */
  readonly #waiting = new Set<QueuedAlert>();
  /** The same by channel, in the same order. */
  readonly #channels = new Map<string, readonly QueuedAlert[]>();
  /** The channels that send, and when they end. */
  readonly #sending = new Map<string, Promise<void>>();
  #state: QueueState = { name: "new" };

  constructor({ metrics, capacity = 5000, channelCapacity = 1000 }: AlertQueueOptions) {
    this.#metrics = metrics;
    this.#capacity = capacity;
    this.#channelCapacity = channelCapacity;
  }

  /** Queues an alert for each channel and returns at once. */
  send(alert: ReloadAlert, channels: readonly AlertChannel[]): void {
    for (const channel of channels) this.#add({ alert, channel });
  }

  /** Sends what is queued, also before the call, until the signal aborts and for a few seconds more. Only once. */
  async run(signal: AbortSignal, dependencies: AlertQueueDependencies): Promise<void> {
    const stop = new AbortController();
    this.#state = { name: "running", dependencies, signal: stop.signal };
    for (const id of this.#channels.keys()) this.#startChannel(id);
    await aborted(signal);
    const grace = new AbortController();
    await Promise.race([
      this.#idle(),
      sleep(dependencies.clock, drainMs, grace.signal).catch(() => undefined),
    ]);
    grace.abort();
    this.#state = { name: "stopped" };
    stop.abort();
    await this.#idle();
    for (const queued of this.#waiting) this.#drop(queued);
  }

  #add(queued: QueuedAlert): void {
    const { id, type } = queued.channel;
    if (this.#state.name === "stopped") {
      this.#metrics.ended(type, "dropped");
      return;
    }
    const [oldestOfChannel, ...others] = this.#channels.get(id) ?? [];
    const [oldest] = this.#waiting;
    if (oldestOfChannel !== undefined && others.length + 1 >= this.#channelCapacity)
      this.#drop(oldestOfChannel);
    else if (oldest !== undefined && this.#waiting.size >= this.#capacity) this.#drop(oldest);
    this.#waiting.add(queued);
    this.#channels.set(id, [...(this.#channels.get(id) ?? []), queued]);
    this.#metrics.setQueued(this.#waiting.size);
    this.#startChannel(id);
  }

  #startChannel(id: string): void {
    if (this.#state.name !== "running" || this.#sending.has(id)) return;
    const { dependencies, signal } = this.#state;
    const ended = this.#sendAll(id, dependencies, signal).finally(() => this.#sending.delete(id));
    this.#sending.set(id, ended);
  }

  async #sendAll(id: string, dependencies: AlertQueueDependencies, signal: AbortSignal): Promise<void> {
    // Not before `send` has returned.
    await Promise.resolve();
    for (let next = this.#take(id); next !== undefined; next = this.#take(id)) {
      await this.#sendOne(next, dependencies, signal);
    }
  }

  #take(id: string): QueuedAlert | undefined {
    const first = this.#state.name === "running" ? this.#channels.get(id)?.[0] : undefined;
    if (first !== undefined) this.#remove(first);
    return first;
  }

  async #sendOne(
    { alert, channel }: QueuedAlert,
    dependencies: AlertQueueDependencies,
    signal: AbortSignal,
  ): Promise<void> {
    const { clock, log, additionalInfo } = dependencies;
    const { type } = channel;
    const startMs = clock.monotonicNow();
    const { url, urls } = channel;
    const outgoing = { url, urls, payload: channel.payloadOf(alert, { additionalInfo }) };
    const onRetry = (): void => this.#metrics.retried(type);
    const attempt = await sendAlert(outgoing, dependencies, onRetry, signal).catch((error: unknown) =>
      // Its text may contain the URL.
      signal.aborted ? undefined : failure(`it could not be sent: ${toError(error).name}`, false),
    );
    if (attempt === undefined) {
      this.#metrics.ended(type, "dropped");
      return;
    }
    this.#metrics.ended(type, attempt.isSent ? "sent" : "failed");
    if (attempt.isSent)
      log.debug("alert sent", { channel: channel.id, workload: formatWorkload(alert.workload) });
    else reportFailure({ alert, channel }, attempt.problem, dependencies);
    this.#metrics.took(type, (clock.monotonicNow() - startMs) / 1000);
  }

  #drop(queued: QueuedAlert): void {
    this.#remove(queued);
    this.#metrics.ended(queued.channel.type, "dropped");
    if (this.#state.name !== "running") return;
    const { log } = this.#state.dependencies;
    log.warn("alert dropped: too many wait", {
      channel: queued.channel.id,
      workload: formatWorkload(queued.alert.workload),
    });
  }

  #remove(queued: QueuedAlert): void {
    const { id } = queued.channel;
    const rest = (this.#channels.get(id) ?? []).filter((each) => each !== queued);
    if (rest.length === 0) this.#channels.delete(id);
    else this.#channels.set(id, rest);
    this.#waiting.delete(queued);
    this.#metrics.setQueued(this.#waiting.size);
  }

  async #idle(): Promise<void> {
    while (this.#sending.size > 0) await Promise.all(this.#sending.values());
  }
}

/** Shows why an alert was not sent: in the log, and by an Event on the ReloaderConfig whose channel it was for. */
function reportFailure(
  { alert, channel }: QueuedAlert,
  problem: string,
  { log, events }: AlertQueueDependencies,
): void {
  const workload = formatWorkload(alert.workload);
  log.warn("alert not sent", { channel: channel.id, workload, problem });
  if (channel.config === undefined) return;
  events.record(channel.config, {
    ...{ type: "Warning", reason: EventReason.AlertFailed, action: "Alert" },
    message: `The alert about ${workload} was not sent to ${channel.type}: ${problem}`,
  });
}
