import { type Client, createClient } from "@keelson/client";
import { type Clock, type Random, systemClock, systemRandom, type Transport, toError } from "@keelson/core";
import { type EventRecorder, noEvents } from "../controller/event-recorder.ts";
import { type Logger, silentLogger } from "../logger.ts";
import {
  type ElectionDriver,
  threadDriver,
  type WorkerConnectOptions,
  workerDriver,
} from "./election-driver.ts";
import type { ElectionProblem, ElectionReport } from "./election-loop.ts";
import { type ElectionRules, type ElectionSettings, electionRules } from "./election-rules.ts";
import { ElectorMisuseError, LeadershipLostError, LeasePermissionError } from "./errors.ts";
import { singleAttempt } from "./lease-requests.ts";
import { type Leadership, LeaseTerm } from "./lease-term.ts";

/** What is told to whoever acts on leadership [LE6]. None of these may throw. */
export interface LeaderCallbacks {
  /** This replica leads; called at most once. The signal aborts when it does not any more, for whatever reason. */
  readonly onStarted?: (leading: AbortSignal) => void;
  /** The election is over; called once whenever `run` ends, also if this replica never led. */
  readonly onStopped?: () => void;
  /** Who leads has changed, the first one included; empty if nobody does. */
  readonly onNewLeader?: (identity: string) => void;
}

/** What metrics are made of [LE11]. The calls must be quick and must not throw. */
export interface LeaderObserver {
  /** Also called once with false when an elector is made. */
  leaderChanged(isLeader: boolean): void;
  /** A leader had to look at its Lease before it could renew it. */
  slowPathTaken(): void;
}

/** Which thread renews, and how it reaches the API server. */
export type RenewalOptions =
  /** A thread of its own, on the machine's clock: what production wants. */
  | { readonly renewIn: "worker"; readonly connect: WorkerConnectOptions }
  /** This one: for virtual clocks and for API servers in this process. */
  | ({ readonly renewIn: "thread"; readonly clock?: Clock; readonly random?: Random } & (
      | { readonly transport: Transport }
      /** It repeats by itself what a server was too busy for, and a long wait for that costs the lease. */
      | { readonly client: Client }
    ));

export type LeaderElectorOptions = ElectionSettings &
  LeaderCallbacks &
  RenewalOptions & {
    readonly logger?: Logger;
    /** Records who began and who stopped to lead, on the Lease. Default: nothing does. */
    readonly events?: EventRecorder;
    readonly observer?: LeaderObserver;
  };

const noObserver: LeaderObserver = { leaderChanged() {}, slowPathTaken() {} };

/**
 * It is not guaranteed that only one replica acts as a leader at any time: see `guardWrites` for what can be done about
 * that. What is: a replica takes the Lease only when its record has not changed for as long as the record says, by the
 * replica's own monotonic clock [LE3], or when nobody holds it; and one that could not renew for the renew deadline stops.
 */
export class LeaderElector {
  readonly rules: ElectionRules;
  readonly #options: LeaderElectorOptions;
  readonly #term: LeaseTerm;
  readonly #driver: ElectionDriver;
  readonly #logger: Logger;
  readonly #events: EventRecorder;
  readonly #observer: LeaderObserver;
  readonly #leading = new AbortController();
  #phase: "new" | "running" | "cancelled" | "failed" | "released" = "new";
  /** What this replica leads by, once it does. */
  #lease: Extract<ElectionReport, { readonly type: "started" }>["lease"] | undefined;
  #saidProblem: string | undefined;

  /** InvalidElectionError if the settings cannot work. */
  constructor(options: LeaderElectorOptions) {
    const { logger = silentLogger, events = noEvents, observer = noObserver } = options;
    const { clock = systemClock } = options.renewIn === "thread" ? options : {};
    this.rules = electionRules(options);
    this.#options = options;
    this.#term = new LeaseTerm({ rules: this.rules, clock });
    this.#driver = this.#makeDriver(options, clock);
    this.#logger = logger.with({ Lease: this.rules.lease, identity: this.rules.identity });
    this.#events = events;
    this.#observer = observer;
    observer.leaderChanged(false);
  }

  /** For guards and health checks: tells at any moment whether this replica surely leads. */
  get leadership(): Leadership {
    return this.#term;
  }

  /**
   * Tries to lead, leads, and resolves when the signal aborts: the lease is then still held, until it runs out or
   * `release` gives it up; `release` or `close` must follow. Rejects with a LeadershipLostError if this replica led and
   * cannot be sure any more; then everything is closed.
   */
  async run(signal: AbortSignal): Promise<void> {
    if (this.#phase !== "new")
      throw new ElectorMisuseError(this.rules.lease, "this elector has been run before; make a new one");
    this.#phase = "running";
    try {
      const end = await this.#driver.run((report) => this.#receive(report), signal);
      if (end.type === "lost") throw new LeadershipLostError(this.rules.lease, end.reason);
      this.#phase = "cancelled";
      this.#leading.abort(signal.reason);
    } catch (error) {
      this.#phase = "failed";
      this.#term.lose();
      const reason = this.#asLoss(toError(error));
      this.#leading.abort(reason);
      await this.#driver.close();
      throw reason;
    } finally {
      this.#stopped();
    }
  }

  /**
   * Gives the lease up, so that a successor leads at once [LE8], and closes. To be called after `run`, when everything
   * that only a leader may do has ended. True if there was a lease to give up. After `run` has rejected there is none:
   * it runs out by itself. Nor is there one for a second call.
   */
  async release(): Promise<boolean> {
    if (this.#phase === "running")
      throw new ElectorMisuseError(this.rules.lease, "it is not over yet; abort `run` before the release");
    if (this.#phase !== "cancelled") return false;
    this.#phase = "released";
    this.#term.end();
    try {
      const isReleased = await this.#driver.release();
      if (isReleased) this.#logger.info("released the lease");
      return isReleased;
    } catch (error) {
      this.#logger.warn("the lease could not be released; it runs out by itself", { error });
      return false;
    } finally {
      await this.close();
    }
  }

  /** Lets go of threads and connections; keeps the lease. */
  async close(): Promise<void> {
    await this.#driver.close();
  }

  #makeDriver(options: LeaderElectorOptions, clock: Clock): ElectionDriver {
    const { rules } = this;
    const term = this.#term;
    if (options.renewIn === "thread") {
      const { random = systemRandom } = options;
      const client =
        "client" in options
          ? options.client
          : createClient({ transport: singleAttempt(options.transport), clock });
      return threadDriver({ client, clock, random, rules, term });
    }
    const { connect } = options;
    return workerDriver({ connect, clock, rules, term, onWarning: (message) => this.#logger.warn(message) });
  }

  #receive(report: ElectionReport): void {
    switch (report.type) {
      case "newLeader":
        this.#saidProblem = undefined;
        this.#logger.info(report.identity === "" ? "nobody leads" : `${report.identity} leads`);
        this.#call(() => this.#options.onNewLeader?.(report.identity));
        break;
      case "started":
        this.#lease = report.lease;
        this.#record("became leader");
        this.#observer.leaderChanged(true);
        this.#call(() => this.#options.onStarted?.(this.#leading.signal));
        break;
      case "slowPath":
        this.#observer.slowPathTaken();
        break;
      case "problem":
        this.#say(report.problem);
        break;
    }
  }

  #stopped(): void {
    if (this.#lease !== undefined) {
      this.#record("stopped leading");
      this.#observer.leaderChanged(false);
    }
    this.#call(() => this.#options.onStopped?.());
  }

  #record(what: string): void {
    const message = `${this.rules.identity} ${what}`;
    this.#logger.info(message);
    if (this.#lease !== undefined)
      this.#events.record(this.#lease, { type: "Normal", reason: "LeaderElection", message });
  }

  /** What stays the same is said aloud once. Conflicts are what an election is made of. */
  #say({ kind, message }: ElectionProblem): void {
    if (kind === "conflict" || message === this.#saidProblem) {
      this.#logger.debug(message);
      return;
    }
    this.#saidProblem = message;
    if (kind === "forbidden") {
      const error = new LeasePermissionError(this.rules.lease, message);
      this.#logger.error(error.message, { error });
    } else this.#logger.warn(message);
  }

  /** Whatever ends the election of a leader has cost it its leadership. */
  #asLoss(error: Error): Error {
    const isLoss = error instanceof LeadershipLostError || this.#lease === undefined;
    return isLoss ? error : new LeadershipLostError(this.rules.lease, error.message, { cause: error });
  }

  #call(callback: () => void): void {
    try {
      callback();
    } catch (error) {
      this.#logger.error("a callback of the leader election threw, which it may not", { error });
    }
  }
}
