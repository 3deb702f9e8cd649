import { type Client, createClient } from "@keelson/client";
import { type Clock, type Random, systemClock, systemRandom, type Transport, toError } from "@keelson/core";
import { type EventRecorder, noEvents } from "../controller/event-recorder.ts";
import { Hooks } from "../hooks.ts";
import type { Logger } from "../logger.ts";
import { steadyLogger } from "../steady-logger.ts";
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

/** Callbacks of an elector [LE6]. What they throw is logged, and changes nothing. */
export interface LeaderCallbacks {
  /** This replica leads; called at most once. The signal aborts when it no longer leads, for any reason. */
  readonly onStarted?: (leading: AbortSignal) => void;
  /** The election is over; called once whenever `run` ends, also if this replica never led. */
  readonly onStopped?: () => void;
  /** The leader has changed; also called for the first leader. Empty if there is none. */
  readonly onNewLeader?: (identity: string) => void;
}

/** Observes leadership, for metrics [LE11]. The calls must be quick and must not throw. */
export interface LeaderObserver {
  /** Also called once with false when an elector is made. */
  leaderChanged(isLeader: boolean): void;
  /** The leader had to read its Lease before it could renew it. */
  slowPathTaken(): void;
}

/** Which thread renews, and how it reaches the API server. */
export type RenewalOptions =
  /** A thread of its own, on the machine's clock: for production. */
  | { readonly renewIn: "worker"; readonly connect: WorkerConnectOptions }
  /** This one: for virtual clocks and for API servers in this process. */
  | ({ readonly renewIn: "thread"; readonly clock?: Clock; readonly random?: Random } & (
      | { readonly transport: Transport }
      /** A client retries on its own, and a long delay between its attempts can cost the Lease. */
      | { readonly client: Client }
    ));

export type LeaderElectorOptions = ElectionSettings &
  LeaderCallbacks &
  RenewalOptions & {
    readonly logger?: Logger;
    /** Records Events about the Lease when a replica starts and stops leading. Default: none are recorded. */
    readonly events?: EventRecorder;
    readonly observer?: LeaderObserver;
  };

const noObserver: LeaderObserver = { leaderChanged() {}, slowPathTaken() {} };

/**
 * Elects one leader among the replicas of an operator by a Lease. It does not guarantee that only one replica acts as the
 * leader at any time; `guardWrites` narrows that gap. It guarantees that a replica acquires the Lease only if the Lease has
 * no holder, or if its record has not changed for the lease duration by the replica's own monotonic clock [LE3]; and that
 * a leader that could not renew for the renew deadline stops leading.
 */
export class LeaderElector {
  readonly rules: ElectionRules;
  readonly #options: LeaderElectorOptions;
  readonly #term: LeaseTerm;
  readonly #driver: ElectionDriver;
  readonly #logger: Logger;
  readonly #hooks: Hooks;
  readonly #events: EventRecorder;
  readonly #observer: LeaderObserver;
  readonly #leading = new AbortController();
  #phase: "new" | "running" | "cancelled" | "failed" | "released" = "new";
  /** The Lease, once this replica leads. */
  #lease: Extract<ElectionReport, { readonly type: "started" }>["lease"] | undefined;
  #loggedProblem: string | undefined;

  /** Throws an InvalidElectionError if the settings are invalid. */
  constructor(options: LeaderElectorOptions) {
    const { events = noEvents, observer = noObserver } = options;
    const { clock = systemClock } = options.renewIn === "thread" ? options : {};
    this.rules = electionRules(options);
    this.#options = options;
    this.#term = new LeaseTerm({ rules: this.rules, clock });
    this.#driver = this.#makeDriver(options, clock);
    this.#logger = steadyLogger(options.logger).with({
      Lease: this.rules.lease,
      identity: this.rules.identity,
    });
    this.#events = events;
    this.#hooks = new Hooks(this.#logger);
    this.#observer = observer;
    this.#noteLeader(false);
  }

  /** Whether this replica leads, for write guards and health checks. */
  get leadership(): Leadership {
    return this.#term;
  }

  /**
   * Acquires the Lease, leads, and resolves when the signal aborts. This replica then still holds the Lease, until it
   * expires or `release` is called; `release` or `close` must follow. Rejects with a LeadershipLostError if this replica
   * led and another may lead now; then everything is closed.
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
   * Releases the Lease, so that another replica can lead at once [LE8], and closes. Call it after `run`, when everything
   * that only a leader may do has ended. Returns whether a Lease was released: after `run` has rejected none is, since it
   * expires on its own, and a second call releases nothing.
   */
  async release(): Promise<boolean> {
    if (this.#phase === "running")
      throw new ElectorMisuseError(this.rules.lease, "it still runs; abort `run` before the release");
    if (this.#phase !== "cancelled") return false;
    this.#phase = "released";
    this.#term.end();
    try {
      const isReleased = await this.#driver.release();
      if (isReleased) this.#logger.info("released the lease");
      return isReleased;
    } catch (error) {
      this.#logger.warn("the lease could not be released; it expires on its own", { error });
      return false;
    } finally {
      await this.close();
    }
  }

  /** Closes threads and connections; does not release the Lease. */
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
        this.#loggedProblem = undefined;
        this.#logger.info(report.identity === "" ? "there is no leader" : `${report.identity} leads`);
        this.#hooks.notify("onNewLeader", () => this.#options.onNewLeader?.(report.identity));
        break;
      case "started":
        this.#lease = report.lease;
        this.#record("became leader");
        this.#noteLeader(true);
        this.#hooks.notify("onStarted", () => this.#options.onStarted?.(this.#leading.signal));
        break;
      case "slowPath":
        this.#hooks.notify("slowPathTaken of the leader observer", () => this.#observer.slowPathTaken());
        break;
      case "problem":
        this.#logProblem(report.problem);
        break;
    }
  }

  #stopped(): void {
    if (this.#lease !== undefined) {
      this.#record("stopped leading");
      this.#noteLeader(false);
    }
    this.#hooks.notify("onStopped", () => this.#options.onStopped?.());
  }

  #record(what: string): void {
    const message = `${this.rules.identity} ${what}`;
    this.#logger.info(message);
    const lease = this.#lease;
    if (lease === undefined) return;
    const event = { type: "Normal", reason: "LeaderElection", message } as const;
    this.#hooks.notify("record of the event recorder", () => this.#events.record(lease, event));
  }

  #noteLeader(isLeader: boolean): void {
    this.#hooks.notify("leaderChanged of the leader observer", () => this.#observer.leaderChanged(isLeader));
  }

  /** A problem that stays the same is logged once above debug. Conflicts are normal in an election. */
  #logProblem({ kind, message }: ElectionProblem): void {
    if (kind === "conflict" || message === this.#loggedProblem) {
      this.#logger.debug(message);
      return;
    }
    this.#loggedProblem = message;
    if (kind === "forbidden") {
      const error = new LeasePermissionError(this.rules.lease, message);
      this.#logger.error(error.message, { error });
    } else this.#logger.warn(message);
  }

  /** Any error that ends the election of a leader means that it has lost its leadership. */
  #asLoss(error: Error): Error {
    const isLoss = error instanceof LeadershipLostError || this.#lease === undefined;
    return isLoss ? error : new LeadershipLostError(this.rules.lease, error.message, { cause: error });
  }
}
