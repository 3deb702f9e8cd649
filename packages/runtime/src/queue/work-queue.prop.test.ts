import fc from "fast-check";
import { describe, it } from "vitest";
import {
  type Add,
  type QueueModel,
  queueCommands,
  Simulation,
  Subject,
} from "../../test/support/queue-commands.ts";
import { mostBeforeRetry } from "./ready-order.ts";
import { WorkQueue, type WorkQueueOptions } from "./work-queue.ts";

interface Queued {
  readonly key: string;
  priority: number;
  isRetry: boolean;
  requestedMs: number;
  heldUntilMs: number;
  /** Undefined while it waits. */
  readyNumber: number | undefined;
  /** Given when it began to wait. */
  waitNumber: number;
}

/** The rules of PQ1 to PQ5 and PQ12 over plain lists. */
class WorkQueueModel implements QueueModel {
  nowMs = 0;
  readonly processing = new Set<string>();
  readonly #holdsBackoff: boolean;
  readonly #groupOf: (key: string) => string;
  /** The groups in the order in which they were last served or, if they had nothing queued, added. */
  #turns: string[] = [];
  #queued: Queued[] = [];
  #counter = 1;
  /** How many keys that are no retries were dequeued while a retry was ready. */
  #beforeRetry = 0;

  constructor({ holdBackoff = false, groupOf = () => "" }: Partial<WorkQueueOptions<string>>) {
    this.#holdsBackoff = holdBackoff;
    this.#groupOf = groupOf;
  }

  get length(): number {
    return this.#queued.filter(({ readyNumber }) => readyNumber !== undefined).length;
  }

  get nextDueMs(): number {
    return Math.min(...this.#waiting().map(dueMs));
  }

  add({ key, priority, delayMs, isFailure }: Add): void {
    const requestedMs = delayMs === 0 ? 0 : this.nowMs + delayMs;
    const isRetry = isRetryAdd({ priority, isFailure });
    const heldUntilMs = isFailure && this.#holdsBackoff ? requestedMs : 0;
    let queued = this.#queued.find((one) => one.key === key);
    if (queued === undefined) {
      const waitNumber = this.#counter++;
      queued = { key, priority, isRetry, requestedMs, heldUntilMs, readyNumber: undefined, waitNumber };
      this.#queued.push(queued);
    } else {
      const rises = priority > queued.priority || (queued.isRetry && !isRetry);
      if (rises && queued.readyNumber !== undefined) queued.readyNumber = this.#counter++;
      queued.priority = Math.max(queued.priority, priority);
      queued.isRetry &&= isRetry;
      queued.requestedMs = Math.min(queued.requestedMs, requestedMs);
      const held = [queued.heldUntilMs, heldUntilMs].filter((ms) => ms > 0);
      queued.heldUntilMs = held.length === 0 ? 0 : Math.min(...held);
      if (queued.readyNumber !== undefined && dueMs(queued) > this.nowMs) {
        queued.readyNumber = undefined;
        queued.waitNumber = this.#counter++;
      }
    }
    this.release();
    this.#updateTurns();
  }

  release(): void {
    const due = this.#waiting().filter((one) => dueMs(one) <= this.nowMs);
    for (const one of due.sort((a, b) => a.waitNumber - b.waitNumber)) {
      one.readyNumber = this.#counter++;
      one.requestedMs = 0;
      one.heldUntilMs = 0;
    }
    this.#updateTurns();
  }

  take(): string | undefined {
    const candidates = this.#candidatesOfNextClass();
    const highest = Math.max(...candidates.map(({ priority }) => priority));
    const isRetry = candidates[0]?.isRetry === true;
    const turn = this.#turns.find((turn) => turn.startsWith(`${isRetry} ${highest} `));
    const first = candidates.filter((one) => this.#turnOf(one) === turn).sort(byReadyNumber)[0];
    if (first === undefined || turn === undefined) return undefined;
    this.#queued = this.#queued.filter((one) => one !== first);
    this.processing.add(first.key);
    this.#turns = [...this.#turns.filter((one) => one !== turn), turn];
    this.#updateTurns();
    return first.key;
  }

  done(key: string): void {
    this.processing.delete(key);
    this.#updateTurns();
  }

  #waiting(): Queued[] {
    return this.#queued.filter(({ readyNumber }) => readyNumber === undefined);
  }

  #candidatesOfNextClass(): Queued[] {
    const retries = this.#candidates().filter(({ isRetry }) => isRetry);
    const others = this.#candidates().filter(({ isRetry }) => !isRetry);
    if (retries.length === 0) return others;
    const isRetryNext = others.length === 0 || this.#beforeRetry === mostBeforeRetry;
    this.#beforeRetry = isRetryNext ? 0 : this.#beforeRetry + 1;
    return isRetryNext ? retries : others;
  }

  #candidates(): Queued[] {
    return this.#queued.filter(
      ({ key, readyNumber }) => readyNumber !== undefined && !this.processing.has(key),
    );
  }

  #turnOf({ key, priority, isRetry }: Queued): string {
    return `${isRetry} ${priority} ${this.#groupOf(key)}`;
  }

  #updateTurns(): void {
    const present = new Set(
      this.#candidates()
        .sort(byReadyNumber)
        .map((one) => this.#turnOf(one)),
    );
    this.#turns = [...new Set([...this.#turns.filter((turn) => present.has(turn)), ...present])];
  }
}

/** An add with a rate limit and without a priority. */
function isRetryAdd({ priority, isFailure }: Pick<Add, "priority" | "isFailure">): boolean {
  return isFailure && priority === 0;
}

function dueMs({ requestedMs, heldUntilMs }: Queued): number {
  return Math.max(requestedMs, heldUntilMs);
}

function byReadyNumber(a: Queued, b: Queued): number {
  return (a.readyNumber ?? 0) - (b.readyNumber ?? 0);
}

function makeSubject(options: Partial<WorkQueueOptions<string>>): Subject {
  return new Subject((clock) => {
    let limiterMs = 0;
    const rateLimiter = { when: () => limiterMs, forget: () => {}, numRequeues: () => 0 };
    const queue = new WorkQueue<string>({ clock, formatKey: (key) => key, rateLimiter, ...options });
    const add = ({ key, priority, delayMs, isFailure }: Add): void => {
      limiterMs = delayMs;
      const rank = isRetryAdd({ priority, isFailure }) ? {} : { priority };
      queue.add(key, isFailure ? { ...rank, rateLimited: true } : { ...rank, afterMs: delayMs });
    };
    return { queue, add };
  });
}

const groupOf = (key: string): string => key.slice(0, 1);

describe("any history of the work queue", () => {
  it.each<[string, Partial<WorkQueueOptions<string>>]>([
    ["as in Go", {}],
    ["with fairness", { groupOf }],
    ["with back-offs that hold", { holdBackoff: true }],
    ["with both", { groupOf, holdBackoff: true }],
  ])(
    "[PQ1] [PQ2] [PQ5] [PQ12] hands out each key when the rules demand, and to one worker at a time: %s",
    async (_, options) => {
      await fc.assert(
        fc.asyncProperty(queueCommands([-1, 0, 1]), async (commands) => {
          await fc.asyncModelRun(
            () => ({ model: new Simulation(new WorkQueueModel(options)), real: makeSubject(options) }),
            commands,
          );
        }),
        { numRuns: 150 },
      );
    },
  );
});
