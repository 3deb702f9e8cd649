import { toError } from "@keelson/core";
import { GroupStoppedError } from "./errors.ts";
import { type GroupRunnable, leaderRunnables, type Runnable, replicaRunnable } from "./runnable.ts";

/** Is called with the error that a runnable threw, also after the stop. Must not throw. */
export type OnRunnableFailure = (runnable: string, error: Error) => void;

interface Running {
  readonly name: string;
  /** Also resolves if the runnable ended without becoming ready. Never rejects. */
  readonly ready: Promise<void>;
  readonly ended: Promise<void>;
}

/**
 * Runnables that start together and stop together. The states of a group:
 *
 *     new ── start ──▶ started ── stop ──▶ stopped
 *      └────────────── stop ────────────────▲
 *
 * In `new`, added runnables wait; in `started`, an added runnable starts at once [MG5]; in `stopped`, it is refused, and
 * a start does nothing [MG6].
 */
export class RunnableGroup {
  readonly name: string;
  readonly #onFailure: OnRunnableFailure;
  readonly #stop = new AbortController();
  /** Empty unless the group is new. */
  #waiting: GroupRunnable[] = [];
  /** The runnables that have not ended. */
  readonly #running: Set<Running> = new Set();
  #phase: "new" | "started" | "stopped" = "new";

  constructor(name: string, onFailure: OnRunnableFailure) {
    this.name = name;
    this.#onFailure = onFailure;
  }

  /** The names of the runnables that have not ended. */
  get running(): readonly string[] {
    return [...this.#running].map(({ name }) => name);
  }

  /** The names of the runnables that have not ended although the group was stopped. */
  get unfinished(): readonly string[] {
    return this.#phase === "stopped" ? this.running : [];
  }

  /** Throws a GroupStoppedError if the group was stopped. */
  add(runnable: GroupRunnable): void {
    switch (this.#phase) {
      case "new":
        this.#waiting.push(runnable);
        break;
      case "started":
        this.#begin(runnable);
        break;
      case "stopped":
        throw new GroupStoppedError(this.name, runnable.name);
    }
  }

  /** Starts all runnables. Resolves when they are ready or have ended, including those that are added meanwhile. */
  async start(): Promise<void> {
    if (this.#phase !== "new") return;
    this.#phase = "started";
    for (const runnable of this.#waiting.splice(0)) this.#begin(runnable);
    const waitedFor = new Set<Running>();
    for (;;) {
      const unseen = [...this.#running].filter((running) => !waitedFor.has(running));
      if (unseen.length === 0) return;
      for (const running of unseen) waitedFor.add(running);
      await Promise.all(unseen.map(({ ready }) => ready));
    }
  }

  /** Stops all runnables, and resolves when they have ended. May be called again, to wait again. */
  async stop(reason: unknown): Promise<void> {
    this.#phase = "stopped";
    this.#waiting = [];
    this.#stop.abort(reason);
    await Promise.all([...this.#running].map(({ ended }) => ended));
  }

  #begin(runnable: GroupRunnable): void {
    const { promise: ready, resolve } = Promise.withResolvers<void>();
    const running: Running = { name: runnable.name, ready, ended: this.#run(runnable, resolve) };
    this.#running.add(running);
    void running.ended.then(() => this.#running.delete(running));
  }

  async #run(runnable: GroupRunnable, onReady: () => void): Promise<void> {
    try {
      await runnable.run(this.#stop.signal, onReady);
    } catch (error) {
      this.#onFailure(runnable.name, toError(error));
    } finally {
      onReady();
    }
  }
}

/** All runnables of a manager, in the groups that start and stop one after the other. */
export class RunnableGroups {
  readonly http: RunnableGroup;
  readonly webhooks: RunnableGroup;
  readonly caches: RunnableGroup;
  /** Runnables that need no leadership. */
  readonly everyReplica: RunnableGroup;
  readonly warmUps: RunnableGroup;
  /** Runnables that only a leader runs. */
  readonly leader: RunnableGroup;

  constructor(onFailure: OnRunnableFailure) {
    const group = (name: string): RunnableGroup => new RunnableGroup(name, onFailure);
    this.http = group("the HTTP servers");
    this.webhooks = group("the webhook servers");
    this.caches = group("the caches");
    this.everyReplica = group("the runnables of every replica");
    this.warmUps = group("the warm-ups");
    this.leader = group("the runnables of the leader");
  }

  /** Adds a runnable to the leader's group, unless it needs no leadership [MG6]. */
  addRunnable(runnable: Runnable): void {
    if (runnable.needsLeadership === false) {
      this.everyReplica.add(replicaRunnable(runnable));
      return;
    }
    const { run, warmUp } = leaderRunnables(runnable);
    this.leader.add(run);
    if (warmUp !== undefined) this.warmUps.add(warmUp);
  }

  /** The names of the runnables that have not ended although their group was stopped. */
  get unfinished(): readonly string[] {
    return this.#all.flatMap(({ unfinished }) => unfinished);
  }

  /** The names of the runnables that have not ended, without the caches and servers that they need. */
  get runningWork(): readonly string[] {
    return [this.everyReplica, this.warmUps, this.leader].flatMap(({ running }) => running);
  }

  /**
   * Stops all groups, each when no other group needs it any more [MG2]: reconciles need caches, lists may need the
   * conversion webhook, and the metrics show everything until its end. `waitForReplica` limits how long the stop of the
   * leader's group waits for that of every replica: a runnable that hangs must not use up the whole grace period.
   */
  async stopInOrder(
    reason: unknown,
    waitForReplica: (ending: Promise<unknown>) => Promise<unknown>,
  ): Promise<void> {
    const ofEveryReplica = Promise.all([this.everyReplica.stop(reason), this.warmUps.stop(reason)]);
    await waitForReplica(ofEveryReplica);
    await this.leader.stop(reason);
    await ofEveryReplica;
    await this.caches.stop(reason);
    await this.webhooks.stop(reason);
    await this.http.stop(reason);
  }

  /** Stops all groups at once, without waiting. */
  stopAtOnce(reason: unknown): void {
    for (const group of this.#all) void group.stop(reason);
  }

  get #all(): readonly RunnableGroup[] {
    return [this.everyReplica, this.warmUps, this.leader, this.caches, this.webhooks, this.http];
  }
}
