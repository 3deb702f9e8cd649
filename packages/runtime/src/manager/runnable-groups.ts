import type { Runnable } from "./runnable.ts";
import { type OnMemberFailure, RunnableGroup } from "./runnable-group.ts";
import { leaderMembers, plainMember } from "./warm-up.ts";

/** What a manager runs, in the groups that start and stop one after the other. */
export class RunnableGroups {
  readonly http: RunnableGroup;
  readonly webhooks: RunnableGroup;
  readonly caches: RunnableGroup;
  /** Runnables that need no leadership. */
  readonly others: RunnableGroup;
  readonly warmUps: RunnableGroup;
  /** Runnables that only a leader runs. */
  readonly leaders: RunnableGroup;

  constructor(onFailure: OnMemberFailure) {
    const group = (name: string): RunnableGroup => new RunnableGroup(name, onFailure);
    this.http = group("the HTTP servers");
    this.webhooks = group("the webhook servers");
    this.caches = group("the caches");
    this.others = group("the runnables of every replica");
    this.warmUps = group("the warm-ups");
    this.leaders = group("the runnables of the leader");
  }

  /** A runnable is the leader's unless it says otherwise [MG6]. */
  addRunnable(runnable: Runnable): void {
    if (runnable.needsLeadership === false) {
      this.others.add(plainMember(runnable));
      return;
    }
    const { run, warmUp } = leaderMembers(runnable);
    this.leaders.add(run);
    if (warmUp !== undefined) this.warmUps.add(warmUp);
  }

  /** What was told to stop and has not ended. */
  get lingering(): readonly string[] {
    return this.#all.flatMap(({ lingering }) => lingering);
  }

  /** The runnables that have not ended, without the caches and servers that they need. */
  get work(): readonly string[] {
    return [this.others, this.warmUps, this.leaders].flatMap(({ running }) => running);
  }

  /**
   * Stops all, each when nothing that needs it is left [MG2]: reconciles need caches, lists may need the conversion
   * webhook, and all of it is to be seen on the metrics until its end. `patience` says for how long the work of a leader
   * goes on because that of every replica has not ended: one that hangs must not take all the time that there is.
   */
  async stopInOrder(
    reason: unknown,
    patience: (ending: Promise<unknown>) => Promise<unknown>,
  ): Promise<void> {
    const ofEveryReplica = Promise.all([this.others.stop(reason), this.warmUps.stop(reason)]);
    await patience(ofEveryReplica);
    await this.leaders.stop(reason);
    await ofEveryReplica;
    await this.caches.stop(reason);
    await this.webhooks.stop(reason);
    await this.http.stop(reason);
  }

  /** Tells all to stop, and waits for none. */
  stopAtOnce(reason: unknown): void {
    for (const group of this.#all) void group.stop(reason);
  }

  get #all(): readonly RunnableGroup[] {
    return [this.others, this.warmUps, this.leaders, this.caches, this.webhooks, this.http];
  }
}
