import type { Client } from "@keelson/client";
import { type Clock, type Random, toError } from "@keelson/core";
import type { EventRecorder } from "../controller/event-recorder.ts";
import type { WorkerConnectOptions } from "../leader/election-driver.ts";
import type { ElectionRules, ElectionSettings } from "../leader/election-rules.ts";
import { LeaderElector, type LeaderObserver, type RenewalOptions } from "../leader/leader-elector.ts";
import type { Leadership } from "../leader/lease-term.ts";
import type { Logger } from "../logger.ts";

/** The Lease by which replicas elect their leader, and the thread that renews it. */
export type LeaderElectionOptions = ElectionSettings &
  (
    | { readonly renewIn: "worker"; readonly connect: WorkerConnectOptions }
    /** Renews with the manager's own client and clock: for virtual clocks and for API servers in this process. */
    | { readonly renewIn: "thread" }
  );

/** What an election is given by its manager. */
export interface ElectionDependencies {
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly events: EventRecorder;
  readonly observer: LeaderObserver;
  readonly onElected: () => void;
  /** Is called with the error that ended the election, such as a LeadershipLostError. */
  readonly onFailed: (error: Error) => void;
}

/** The election of a manager: it begins once, and ends once, after everything else [MG2]. */
export class Election {
  readonly #elector: LeaderElector;
  readonly #dependencies: ElectionDependencies;
  readonly #stop = new AbortController();
  #running: Promise<void> | undefined;

  /** Throws an InvalidElectionError. */
  constructor(options: LeaderElectionOptions, dependencies: ElectionDependencies) {
    const { log, events, observer, onElected } = dependencies;
    this.#dependencies = dependencies;
    this.#elector = new LeaderElector({
      ...options,
      ...renewalOf(options, dependencies),
      logger: log,
      events,
      observer,
      onStarted: onElected,
    });
  }

  get leadership(): Leadership {
    return this.#elector.leadership;
  }

  get rules(): ElectionRules {
    return this.#elector.rules;
  }

  begin(): void {
    this.#running = this.#run();
  }

  /** Ends the election and releases the Lease; without `release`, because a runnable of the leader still runs, lets it expire. */
  async end(reason: unknown, options: { readonly release: boolean }): Promise<void> {
    this.#stop.abort(reason);
    await this.#running;
    if (options.release) await this.#elector.release();
    else await this.#elector.close();
  }

  async #run(): Promise<void> {
    try {
      await this.#elector.run(this.#stop.signal);
    } catch (error) {
      this.#dependencies.onFailed(toError(error));
    }
  }
}

function renewalOf(options: LeaderElectionOptions, dependencies: ElectionDependencies): RenewalOptions {
  if (options.renewIn === "worker") return { renewIn: "worker", connect: options.connect };
  const { client, clock, random } = dependencies;
  return { renewIn: "thread", client, clock, random };
}
