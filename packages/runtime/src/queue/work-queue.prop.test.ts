import fc from "fast-check";
import { describe, it } from "vitest";
import {
  type Add,
  type QueueModel,
  queueCommands,
  Simulation,
  Subject,
} from "../../test/support/queue-commands.ts";
import { WorkQueue } from "./work-queue.ts";

/** The rules of WQ1 to WQ5 over plain lists. */
class ClassicModel implements QueueModel {
  nowMs = 0;
  readonly processing = new Set<string>();
  #queue: string[] = [];
  readonly #dirty = new Set<string>();
  #pending: { readonly key: string; dueMs: number }[] = [];

  get length(): number {
    return this.#queue.length;
  }

  get nextDueMs(): number {
    return Math.min(...this.#pending.map(({ dueMs }) => dueMs));
  }

  add({ key, delayMs }: Add): void {
    if (delayMs === 0) {
      this.#add(key);
      return;
    }
    const pending = this.#pending.find((one) => one.key === key);
    const dueMs = this.nowMs + delayMs;
    if (pending === undefined) this.#pending.push({ key, dueMs });
    else pending.dueMs = Math.min(pending.dueMs, dueMs);
  }

  release(): void {
    const isDue = ({ dueMs }: { dueMs: number }): boolean => dueMs <= this.nowMs;
    for (const { key } of this.#pending.filter(isDue)) this.#add(key);
    this.#pending = this.#pending.filter((one) => !isDue(one));
  }

  take(): string | undefined {
    const key = this.#queue.shift();
    if (key === undefined) return undefined;
    this.#dirty.delete(key);
    this.processing.add(key);
    return key;
  }

  done(key: string): void {
    if (this.processing.delete(key) && this.#dirty.has(key)) this.#queue.push(key);
  }

  #add(key: string): void {
    if (this.#dirty.has(key)) return;
    this.#dirty.add(key);
    if (!this.processing.has(key)) this.#queue.push(key);
  }
}

function makeSubject(): Subject {
  return new Subject((clock) => {
    let limiterMs = 0;
    const rateLimiter = { when: () => limiterMs, forget: () => {}, numRequeues: () => 0 };
    const queue = new WorkQueue<string>({ clock, keyOf: (key) => key, rateLimiter });
    const add = ({ key, delayMs, isFailure }: Add): void => {
      limiterMs = delayMs;
      if (isFailure) queue.addRateLimited(key);
      else queue.addAfter(key, delayMs);
    };
    return { queue, add };
  });
}

describe("any history of the classic queue", () => {
  it("[WQ1] [WQ2] [WQ3] hands out what the rules say, when they say it, each key to one worker", async () => {
    await fc.assert(
      fc.asyncProperty(queueCommands([0]), async (commands) => {
        await fc.asyncModelRun(
          () => ({ model: new Simulation(new ClassicModel()), real: makeSubject() }),
          commands,
        );
      }),
      { numRuns: 200 },
    );
  });
});
