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

  /** What has not ended. */
  get running(): readonly string[] {
    return this.#all.flatMap(({ running }) => running);
  }

  /**
   * Stops all, each when nothing that needs it is left [MG2]: reconciles need caches, lists may need the conversion
   * webhook, and all of it is to be seen on the metrics until its end.
   */
  async stopInOrder(reason: unknown): Promise<void> {
    await Promise.all([this.others.stop(reason), this.warmUps.stop(reason)]);
    await this.leaders.stop(reason);
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
