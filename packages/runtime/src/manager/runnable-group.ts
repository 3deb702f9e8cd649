import { toError } from "@keelson/core";
import { GroupStoppedError } from "./errors.ts";

/** What a group runs. */
export interface GroupMember {
  readonly name: string;
  /** Runs until the signal aborts, or until it is done; says when that which needs it may start. */
  run(signal: AbortSignal, isReady: () => void): Promise<void>;
}

/** Told of what a member threw, whenever that is. Must not throw. */
export type OnMemberFailure = (member: string, error: Error) => void;

interface Running {
  readonly name: string;
  /** Also resolves if it ended without having been ready. Never rejects. */
  readonly ready: Promise<void>;
  readonly ended: Promise<void>;
}

/**
 * Things that start together and stop together. The life of a group:
 *
 *     new ── start ──▶ started ── stop ──▶ stopped
 *      └────────────── stop ────────────────▲
 *
 * In `new`, members gather; in `started`, one that is added starts at once [MG5]; in `stopped` none is taken, and a start
 * that comes late starts nothing [MG6].
 */
export class RunnableGroup {
  readonly name: string;
  readonly #onFailure: OnMemberFailure;
  readonly #stop = new AbortController();
  /** Empty unless the group is new. */
  #waiting: GroupMember[] = [];
  /** Those that have not ended. */
  readonly #running: Set<Running> = new Set();
  #phase: "new" | "started" | "stopped" = "new";

  constructor(name: string, onFailure: OnMemberFailure) {
    this.name = name;
    this.#onFailure = onFailure;
  }

  /** The members that have not ended. */
  get running(): readonly string[] {
    return [...this.#running].map(({ name }) => name);
  }

  /** Those of them that were told to stop. */
  get lingering(): readonly string[] {
    return this.#phase === "stopped" ? this.running : [];
  }

  /** Throws a GroupStoppedError if it is too late. */
  add(member: GroupMember): void {
    switch (this.#phase) {
      case "new":
        this.#waiting.push(member);
        break;
      case "started":
        this.#begin(member);
        break;
      case "stopped":
        throw new GroupStoppedError(this.name, member.name);
    }
  }

  /** Starts all members, and resolves when they are ready, those included that were added meanwhile, or have ended. */
  async start(): Promise<void> {
    if (this.#phase !== "new") return;
    this.#phase = "started";
    for (const member of this.#waiting.splice(0)) this.#begin(member);
    const waitedFor = new Set<Running>();
    for (;;) {
      const unseen = [...this.#running].filter((running) => !waitedFor.has(running));
      if (unseen.length === 0) return;
      for (const running of unseen) waitedFor.add(running);
      await Promise.all(unseen.map(({ ready }) => ready));
    }
  }

  /** Has all members stop, and resolves when they have ended. May be called again, to wait again. */
  async stop(reason: unknown): Promise<void> {
    this.#phase = "stopped";
    this.#waiting = [];
    this.#stop.abort(reason);
    await Promise.all([...this.#running].map(({ ended }) => ended));
  }

  #begin(member: GroupMember): void {
    const { promise: ready, resolve } = Promise.withResolvers<void>();
    const running: Running = { name: member.name, ready, ended: this.#run(member, resolve) };
    this.#running.add(running);
    void running.ended.then(() => this.#running.delete(running));
  }

  async #run(member: GroupMember, isReady: () => void): Promise<void> {
    try {
      await member.run(this.#stop.signal, isReady);
    } catch (error) {
      this.#onFailure(member.name, toError(error));
    } finally {
      isReady();
    }
  }
}
