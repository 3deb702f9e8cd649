import type { Client } from "@keelson/client";
import { type Clock, type Random, toError } from "@keelson/core";
import type { EventRecorder } from "../controller/event-recorder.ts";
import type { WorkerConnectOptions } from "../leader/election-driver.ts";
import type { ElectionRules, ElectionSettings } from "../leader/election-rules.ts";
import { LeaderElector, type LeaderObserver, type RenewalOptions } from "../leader/leader-elector.ts";
import type { Leadership } from "../leader/lease-term.ts";
import type { Logger } from "../logger.ts";

/** By which Lease replicas agree who leads, and which thread renews it. */
export type LeaderElectionOptions = ElectionSettings &
  (
    | { readonly renewIn: "worker"; readonly connect: WorkerConnectOptions }
    /** By the manager's own client and clock: for virtual clocks and for API servers in this process. */
    | { readonly renewIn: "thread" }
  );

/** What an election takes from the manager that it is for. */
export interface ElectionEnvironment {
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly events: EventRecorder;
  readonly observer: LeaderObserver;
  readonly onElected: () => void;
  /** The election has ended by an error, such as a LeadershipLostError. */
  readonly onFailed: (error: Error) => void;
}

/** The election of a manager: begun once, ended once, and ended last [MG2]. */
export class Election {
  readonly #elector: LeaderElector;
  readonly #environment: ElectionEnvironment;
  readonly #stop = new AbortController();
  #running: Promise<void> | undefined;

  /** Throws an InvalidElectionError. */
  constructor(options: LeaderElectionOptions, environment: ElectionEnvironment) {
    const { log, events, observer, onElected } = environment;
    this.#environment = environment;
    this.#elector = new LeaderElector({
      ...options,
      ...renewalOf(options, environment),
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

  /** Gives the lease up, or, if something that only a leader may do still runs, lets it run out. */
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
      this.#environment.onFailed(toError(error));
    }
  }
}

function renewalOf(options: LeaderElectionOptions, environment: ElectionEnvironment): RenewalOptions {
  if (options.renewIn === "worker") return { renewIn: "worker", connect: options.connect };
  const { client, clock, random } = environment;
  return { renewIn: "thread", client, clock, random };
}
