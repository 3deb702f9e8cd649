import { VirtualClock } from "@keelson/testkit";
import fc from "fast-check";
import { expect } from "vitest";
import type { WorkQueue } from "../../src/queue/work-queue.ts";

/** Any add to a queue. */
export interface Add {
  readonly key: string;
  readonly priority: number;
  /** 0: at once. */
  readonly delayMs: number;
  /** Stands for a failure: delayed by `delayMs`, which is what the limiter then demands. */
  readonly isFailure: boolean;
}

/** The specification of a queue, in the simplest possible code. */
export interface QueueModel {
  nowMs: number;
  readonly length: number;
  readonly processing: ReadonlySet<string>;
  add(add: Add): void;
  /** The key that a worker dequeues now; undefined if it has to wait. */
  take(): string | undefined;
  done(key: string): void;
  /** The earliest time at which a key that waits is due. */
  readonly nextDueMs: number;
  /** Makes the keys ready that are due now. */
  release(): void;
}

/** A model together with the workers that wait. */
export class Simulation {
  readonly model: QueueModel;
  readonly dequeued: string[] = [];
  waitingWorkers = 0;

  constructor(model: QueueModel) {
    this.model = model;
  }

  serve(): void {
    for (; this.waitingWorkers > 0; this.waitingWorkers--) {
      const key = this.model.take();
      if (key === undefined) return;
      this.dequeued.push(key);
    }
  }

  advance(ms: number): void {
    const untilMs = this.model.nowMs + ms;
    while (this.model.nextDueMs <= untilMs) {
      this.model.nowMs = this.model.nextDueMs;
      this.model.release();
      this.serve();
    }
    this.model.nowMs = untilMs;
  }
}

/** The queue under test, and the keys that were dequeued. */
export class Subject {
  readonly clock: VirtualClock;
  readonly queue: WorkQueue<string>;
  readonly add: (add: Add) => void;
  readonly dequeued: string[] = [];
  readonly processing = new Set<string>();

  constructor(make: (clock: VirtualClock) => { queue: WorkQueue<string>; add: (add: Add) => void }) {
    this.clock = new VirtualClock();
    const { queue, add } = make(this.clock);
    this.queue = queue;
    this.add = add;
  }

  async work(): Promise<void> {
    const item = await this.queue.get();
    if (item === "shutdown") return;
    expect(this.processing, "keys with a worker").not.toContain(item.key);
    this.processing.add(item.key);
    this.dequeued.push(item.key);
  }
}

type QueueCommand = fc.AsyncCommand<Simulation, Subject>;

/** Applies the same operation to both, and expects the same state of both. */
function command(
  title: string,
  runModel: (simulation: Simulation) => void,
  runReal: (subject: Subject) => void | Promise<void>,
): QueueCommand {
  return {
    check: () => true,
    async run(simulation, subject) {
      runModel(simulation);
      simulation.serve();
      await runReal(subject);
      await subject.clock.settle();
      expect(subject.dequeued).toEqual(simulation.dequeued);
      expect(subject.queue.length).toBe(simulation.model.length);
      expect(subject.processing).toEqual(simulation.model.processing);
    },
    toString: () => title,
  };
}

const keys = ["x/a", "x/b", "x/c", "y/a", "z/a"];
const key = fc.constantFrom(...keys);

function addCommand(priorities: readonly number[]): fc.Arbitrary<QueueCommand> {
  return fc
    .record({
      key,
      priority: fc.constantFrom(...priorities),
      delayMs: fc.constantFrom(0, 0, 0, 5, 10, 20),
      isFailure: fc.boolean(),
    })
    .map((add) => ({ ...add, isFailure: add.isFailure && add.delayMs > 0 }))
    .map((add) =>
      command(
        `add(${JSON.stringify(add)})`,
        ({ model }) => model.add(add),
        (subject) => subject.add(add),
      ),
    );
}

const workCommand = fc.constant(
  command(
    "work",
    (simulation) => {
      simulation.waitingWorkers++;
    },
    (subject) => void subject.work(),
  ),
);

function done(key: string): QueueCommand {
  return command(
    `done(${key})`,
    ({ model }) => model.done(key),
    (subject) => {
      subject.processing.delete(key);
      subject.queue.done({ keyText: key });
    },
  );
}

const advanceCommand = fc.constantFrom(1, 5, 7, 30).map((ms) =>
  command(
    `advance(${ms})`,
    (simulation) => simulation.advance(ms),
    (subject) => subject.clock.advance(ms),
  ),
);

const advanceAndWork = command(
  "advance and work",
  (simulation) => {
    simulation.advance(100);
    simulation.waitingWorkers++;
  },
  async (subject) => {
    await subject.clock.advance(100);
    void subject.work();
  },
);

/** Advances the clock and works until the queue must be empty. */
const drain: QueueCommand = {
  check: () => true,
  async run(simulation, subject) {
    for (let round = 0; round < 2 * keys.length; round++) {
      for (const step of [...keys.map(done), advanceAndWork]) await step.run(simulation, subject);
    }
    expect(subject.queue.length).toBe(0);
    expect(subject.clock.pendingTimers).toEqual([]);
  },
  toString: () => "drain",
};

/** Any sequence of commands, followed by a drain. */
export function queueCommands(priorities: readonly number[]): fc.Arbitrary<Iterable<QueueCommand>> {
  const add = addCommand(priorities);
  return fc
    .commands([add, add, add, workCommand, workCommand, key.map(done), key.map(done), advanceCommand], {
      maxCommands: 60,
    })
    .map((commands) => ({
      *[Symbol.iterator]() {
        yield* commands;
        yield drain;
      },
      toString: () => String(commands),
    }));
}
