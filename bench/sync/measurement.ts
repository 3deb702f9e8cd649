import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** What one process needed until it held all objects, and what it then holds. */
export interface Measurement {
  readonly seconds: number;
  readonly cpuSeconds: number;
  /** The CPU time of another sync in the same process, whose code is compiled by then. */
  readonly warmCpuSeconds: number;
  /** On the heap and in buffers beside it. */
  readonly heldMb: number;
  readonly rssMb: number;
  /** Held after every object was read once. */
  readonly readMb: number;
}

/** What a subject of the benchmark does: syncs, and then reads everything. */
export interface Subject {
  /** Loads what it needs and asks the server for its version, which is not measured. */
  prepare(kubeconfigPath: string): Promise<void>;
  /** Lets go of what an earlier sync holds, and resolves when so many objects are there. */
  sync(count: number): Promise<void>;
  /** Reads every object, and returns their number. */
  readAll(): number;
}

/** Runs the subject in this process, whose arguments are the kubeconfig and the number of objects, and prints it. */
export async function measure(subject: Subject): Promise<never> {
  const [, , kubeconfigPath = "", countText = ""] = process.argv;
  const count = Number(countText);
  await subject.prepare(kubeconfigPath);
  const before = held();
  const begin = performance.now();
  const cpuSeconds = await cpuSecondsOf(() => subject.sync(count));
  const seconds = (performance.now() - begin) / 1000;
  const heldMb = held() - before;
  const rssMb = process.memoryUsage.rss() / 1e6;
  if (subject.readAll() !== count) throw new Error(`read all objects: there are not ${count}`);
  const readMb = held() - before;
  const warmCpuSeconds = await cpuSecondsOf(() => subject.sync(count));
  const measurement: Measurement = { seconds, cpuSeconds, warmCpuSeconds, heldMb, rssMb, readMb };
  console.log(JSON.stringify(measurement));
  process.exit(0);
}

async function cpuSecondsOf(work: () => Promise<void>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e6;
}

function held(): number {
  setFlagsFromString("--expose-gc");
  const collect: () => void = runInNewContext("gc");
  for (let round = 0; round < 3; round++) collect();
  const { heapUsed, external } = process.memoryUsage();
  return (heapUsed + external) / 1e6;
}
