import type { Client } from "@keelson/client";
import { type Clock, type Random, sleep } from "@keelson/core";
import type { Lease } from "@keelson/core/kinds/coordination/v1";
import {
  beginTry,
  continueTry,
  type ElectionMemory,
  type ElectionMoment,
  type ElectionRequest,
  holderIn,
  nothingSeen,
  released,
  type TryOutcome,
} from "./election-machine.ts";
import { type ElectionRules, jitterFactor } from "./election-rules.ts";
import { LeaseRequests } from "./lease-requests.ts";
import type { LeaseTerm } from "./lease-term.ts";

/** What an election loop reports while it runs. Plain data, since the loop may run in another thread. */
export type ElectionReport =
  /** The leader has changed; `identity` is empty if there is none [LE6]. */
  | { readonly type: "newLeader"; readonly identity: string }
  /** This replica leads. */
  | { readonly type: "started"; readonly lease: Pick<Lease, "apiVersion" | "kind" | "metadata"> }
  /** The leader had to read its Lease before it could renew it [LE11]. */
  | { readonly type: "slowPath" }
  | { readonly type: "problem"; readonly problem: ElectionProblem };

/** A request of the election failed. */
export interface ElectionProblem {
  /** `forbidden`: it fails until the permission is granted. `conflict`: another replica wrote first. */
  readonly kind: "forbidden" | "conflict" | "other";
  readonly message: string;
}

/** How an election loop ended. */
export type ElectionEnd =
  | { readonly type: "cancelled" }
  /** This replica led, and another may lead now. */
  | { readonly type: "lost"; readonly reason: string };

export type Report = (report: ElectionReport) => void;

export interface ElectionLoopOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly rules: ElectionRules;
  readonly term: LeaseTerm;
  readonly report: Report;
}

/** The delay before a release that met a conflict is tried again. */
const releaseRetryMs = 50;

/** Tries to acquire the Lease and then to renew it, again and again. election-machine.ts decides what one try does. */
export class ElectionLoop {
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #rules: ElectionRules;
  readonly #term: LeaseTerm;
  readonly #report: Report;
  readonly #requests: LeaseRequests;
  #memory: ElectionMemory = nothingSeen;
  #reportedLeader = "";
  /** True after the first write: this replica may then hold the Lease even without a response. */
  #mayHold = false;
  #lastProblem: ElectionProblem | undefined;
  /** When the newest request was sent. */
  #sentMs = 0;

  constructor({ client, clock, random, rules, term, report }: ElectionLoopOptions) {
    this.#clock = clock;
    this.#random = random;
    this.#rules = rules;
    this.#term = term;
    this.#report = report;
    this.#requests = new LeaseRequests(client, rules, (problem) => {
      this.#lastProblem = problem;
      report({ type: "problem", problem });
    });
  }

  /** Runs until the signal aborts, which does not release the Lease, or until leadership is lost. */
  async run(signal: AbortSignal): Promise<ElectionEnd> {
    try {
      await this.#acquire(signal);
      const reason = await this.#lead(signal);
      this.#term.lose();
      return { type: "lost", reason };
    } catch (error) {
      if (signal.aborted) return { type: "cancelled" };
      throw error;
    }
  }

  /**
   * Releases the Lease if this replica holds it, so that the next leader need not wait until it expires [LE8]. Returns
   * whether it did. Takes at most the renew deadline.
   */
  async release(): Promise<boolean> {
    if (!this.#mayHold) return false;
    const limit = new AbortController();
    const cancelTimer = this.#clock.schedule(this.#rules.renewDeadlineMs, () =>
      limit.abort(new Error("no time left to release the lease")),
    );
    try {
      return await this.#releaseUntil(limit.signal);
    } catch (error) {
      if (limit.signal.aborted) return false;
      throw error;
    } finally {
      cancelTimer();
    }
  }

  async #releaseUntil(limit: AbortSignal): Promise<boolean> {
    for (;;) {
      const found = await this.#requests.make({ type: "get" }, limit);
      if (found.type !== "lease") return false;
      this.#memory = { lease: found.lease, changedAtMs: this.#clock.monotonicNow() };
      if (holderIn(this.#memory) !== this.#rules.identity) return false;
      const lease = released(found.lease, this.#clock.now());
      this.#lastProblem = undefined;
      const written = await this.#requests.make({ type: "update", lease, isFast: false }, limit);
      if (written.type === "lease") return true;
      if (!wasConflict(this.#lastProblem)) return false;
      await sleep(this.#clock, releaseRetryMs, limit);
    }
  }

  async #acquire(signal: AbortSignal): Promise<void> {
    for (;;) {
      const { type } = await this.#try(signal);
      if (type === "held" && this.#recordRenewal()) break;
      const { retryPeriodMs } = this.#rules;
      await sleep(this.#clock, retryPeriodMs * (1 + this.#random.next() * jitterFactor), signal);
    }
    const { lease } = this.#memory;
    if (lease === undefined) return;
    const { apiVersion, kind, metadata } = lease;
    this.#report({ type: "started", lease: { apiVersion, kind, metadata } });
  }

  /**
   * Returns false if the response took longer than the renew deadline, as after a pause of the process: the renewal then
   * does not count, since another replica may have taken over meanwhile.
   */
  #recordRenewal(): boolean {
    if (this.#clock.monotonicNow() - this.#sentMs >= this.#rules.renewDeadlineMs) return false;
    this.#term.renew(this.#sentMs);
    this.#lastProblem = undefined;
    return true;
  }

  /** Renews until that has failed for the renew deadline; returns the reason [LE5]. */
  async #lead(signal: AbortSignal): Promise<string> {
    const { retryPeriodMs, renewDeadlineMs } = this.#rules;
    let renewedMs = this.#term.renewedAtMs ?? 0;
    let nextTryMs = renewedMs + retryPeriodMs;
    for (;;) {
      const deadlineMs = renewedMs + renewDeadlineMs;
      await this.#sleepUntil(Math.min(nextTryMs, deadlineMs), signal);
      const startedMs = this.#clock.monotonicNow();
      if (startedMs >= deadlineMs) break;
      const outcome = await this.#tryUntil(deadlineMs, signal);
      if (outcome.type === "heldByOther") return `${outcome.holder} holds the lease`;
      nextTryMs = startedMs + retryPeriodMs;
      if (outcome.type === "failed") continue;
      if (!this.#recordRenewal()) break;
      renewedMs = this.#sentMs;
      nextTryMs = renewedMs + retryPeriodMs;
    }
    const because = this.#lastProblem === undefined ? "" : ` (${this.#lastProblem.message})`;
    return `the lease was not renewed for ${renewDeadlineMs / 1000} s${because}`;
  }

  async #sleepUntil(dueMs: number, signal: AbortSignal): Promise<void> {
    await sleep(this.#clock, Math.max(0, dueMs - this.#clock.monotonicNow()), signal);
  }

  /** Ends the try at the deadline: a later response would not count. */
  async #tryUntil(deadlineMs: number, signal: AbortSignal): Promise<TryOutcome> {
    const limit = new AbortController();
    const remainingMs = Math.max(0, deadlineMs - this.#clock.monotonicNow());
    const cancelTimer = this.#clock.schedule(remainingMs, () => limit.abort(new Error("renew deadline")));
    try {
      return await this.#try(AbortSignal.any([signal, limit.signal]), deadlineMs);
    } catch (error) {
      if (!signal.aborted && limit.signal.aborted) return { type: "failed" };
      throw error;
    } finally {
      cancelTimer();
    }
  }

  /** Sends nothing after the deadline: after a pause of the process, a response may be handled before the timer fires. */
  async #try(signal: AbortSignal, deadlineMs = Number.POSITIVE_INFINITY): Promise<TryOutcome> {
    let step = beginTry(this.#memory, this.#moment());
    while (isRequest(step.next)) {
      if (this.#clock.monotonicNow() >= deadlineMs) return { type: "failed" };
      const request = step.next;
      if (request.type === "update" && !request.isFast && this.#isLeader())
        this.#report({ type: "slowPath" });
      if (request.type !== "get") this.#mayHold = true;
      this.#sentMs = this.#clock.monotonicNow();
      const response = await this.#requests.make(request, signal);
      step = continueTry(this.#memory, { request, response }, this.#moment());
      this.#memory = step.memory;
    }
    this.#reportLeader();
    return step.next;
  }

  #reportLeader(): void {
    const identity = holderIn(this.#memory);
    if (identity === this.#reportedLeader) return;
    this.#reportedLeader = identity;
    this.#report({ type: "newLeader", identity });
  }

  #isLeader(): boolean {
    return holderIn(this.#memory) === this.#rules.identity;
  }

  #moment(): ElectionMoment {
    return { nowMs: this.#clock.monotonicNow(), wallMs: this.#clock.now(), rules: this.#rules };
  }
}

function isRequest(next: ElectionRequest | TryOutcome): next is ElectionRequest {
  return next.type === "get" || next.type === "create" || next.type === "update";
}

function wasConflict(problem: ElectionProblem | undefined): boolean {
  return problem?.kind === "conflict";
}
