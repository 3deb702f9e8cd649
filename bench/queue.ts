import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { seededRandom } from "../packages/core/src/random.ts";
import { systemClock } from "../packages/core/src/system-clock.ts";
import {
  type AddOptions,
  WorkQueue,
  type WorkQueueOptions,
} from "../packages/runtime/src/queue/work-queue.ts";
import type { Benchmark } from "./run.ts";

const keyCount = 100_000;
const addCount = 1_000_000;
const priorities = [-100, 0, 10, 100];
/** One add in so many is delayed, by up to so many milliseconds. */
const delayedOneIn = 10;
const longestDelayMs = 20;

const keys = Array.from({ length: keyCount }, (_, i) => `namespace-${i % 100}/webapp-${i}`);
const identity = (key: string): string => key;

/** Of adds, gets and dones together. On a machine that others use too, the one per CPU second is the steady one. */
interface Speed {
  readonly perSecond: number;
  readonly perCpuSecond: number;
}

/** One add of the workload, prepared so that only the queue's own work is measured. */
interface PlannedAdd {
  readonly key: string;
  readonly options: AddOptions;
}

/** Every key once, then random keys. */
function planAdds(): readonly PlannedAdd[] {
  const random = seededRandom(1);
  const below = (limit: number): number => Math.floor(random.next() * limit);
  return Array.from({ length: addCount }, (_, i) => {
    const key = keys[i < keyCount ? i : below(keyCount)] ?? "";
    const priority = priorities[below(priorities.length)] ?? 0;
    const afterMs = below(delayedOneIn) === 0 ? random.next() * longestDelayMs : 0;
    return { key, options: afterMs > 0 ? { priority, afterMs } : { priority } };
  });
}

function makeQueue(options: Pick<WorkQueueOptions<string>, "groupOf"> = {}): WorkQueue<string> {
  return new WorkQueue<string>({ clock: systemClock, formatKey: identity, ...options });
}

/** Adds every key, then adds random keys while a worker takes one for every two adds, then takes the rest. */
async function measureSpeed(queue: WorkQueue<string>, adds: readonly PlannedAdd[]): Promise<Speed> {
  let operations = adds.length;
  const work = async (): Promise<void> => {
    const item = await queue.get();
    if (item === "shutdown") throw new Error("dequeue: the queue has shut down");
    queue.done(item);
    operations += 2;
  };
  const begin = performance.now();
  const cpuBegin = process.cpuUsage();
  for (const [i, { key, options }] of adds.entries()) {
    queue.add(key, options);
    if (i >= keyCount && i % 2 === 0) await work();
  }
  while (queue.length > 0) await work();
  const seconds = (performance.now() - begin) / 1000;
  const { user, system } = process.cpuUsage(cpuBegin);
  queue.shutDown();
  return { perSecond: operations / seconds, perCpuSecond: operations / ((user + system) / 1e6) };
}

function median(values: readonly number[]): number {
  return Math.round([...values].sort((a, b) => a - b)[values.length >> 1] ?? 0);
}

/** What the queue holds for each of its items, without the items themselves. */
function bytesPerItem(queue: WorkQueue<string>): number {
  setFlagsFromString("--expose-gc");
  const collect: () => void = runInNewContext("gc");
  collect();
  const before = process.memoryUsage().heapUsed;
  for (const key of keys) queue.add(key);
  collect();
  const bytes = process.memoryUsage().heapUsed - before;
  queue.shutDown();
  return Math.round(bytes / keyCount);
}

/**
 * A million adds over 100,000 keys, with four priorities and delays, and the gets and dones that go with them: how many
 * of these operations the work queue, with and without fairness, does in a second on the machine's clock, and what an item costs in memory.
 */
export const queueBenchmark: Benchmark = async ({ quick }) => {
  const adds = planAdds();
  const kinds = {
    "": () => makeQueue(),
    fair: () => makeQueue({ groupOf: (key) => key.slice(0, key.indexOf("/")) }),
  };
  const figures: Record<string, number> = {};
  for (const [kind, make] of Object.entries(kinds)) {
    const samples: Speed[] = [];
    for (let round = 0; round < (quick ? 3 : 9); round++) samples.push(await measureSpeed(make(), adds));
    const name = (figure: string): string =>
      kind === "" ? figure : `${kind}${figure.replace(/^./, (letter) => letter.toUpperCase())}`;
    figures[name("opsPerSecond")] = median(samples.map(({ perSecond }) => perSecond));
    figures[name("opsPerCpuSecond")] = median(samples.map(({ perCpuSecond }) => perCpuSecond));
    figures[name("bytesPerItem")] = bytesPerItem(make());
    console.log(`${kind || "priority"}: ${figures[name("opsPerSecond")]} operations per second`);
  }
  return { keys: keyCount, adds: addCount, priorities: priorities.length, ...figures };
};
