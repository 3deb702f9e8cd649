import {
  Controller,
  cachedClient,
  controllerFor,
  createClient,
  InformerCache,
  sourceOf,
  systemClock,
  systemRandom,
} from "keelson";
import type { Benchmark } from "./run.ts";

const keyCount = 100_000;
const keys = Array.from({ length: keyCount }, (_, i) => ({
  namespace: `namespace-${i % 100}`,
  name: `webapp-${i}`,
}));

/** Nothing is to be asked of a server here. */
const nowhere = {
  send: async () => {
    throw new Error("a no-op reconcile asks for nothing");
  },
  close: async () => {},
};

/** Queues every key and reconciles it, with all that a controller does around a reconcile that does nothing. */
async function reconcileAll(
  concurrency: number,
): Promise<{ readonly perSecond: number; readonly perCpuSecond: number }> {
  const client = createClient({ transport: nowhere });
  const cache = new InformerCache({ client });
  const stop = new AbortController();
  const { promise: allDone, resolve } = Promise.withResolvers<void>();
  let runs = 0;
  let begin = 0;
  let cpuBegin = process.cpuUsage();
  const definition = controllerFor<(typeof keys)[number]>(
    {
      name: "noop",
      formatKey: ({ namespace, name }) => `${namespace}/${name}`,
    },
    { concurrency },
  )
    .source(
      sourceOf("all keys", async ({ enqueue }) => {
        begin = performance.now();
        cpuBegin = process.cpuUsage();
        for (const key of keys) enqueue(key, { trigger: { source: "all keys", type: "generic" } });
      }),
    )
    .reconcileKey(() => {
      runs += 1;
      if (runs === keyCount) resolve();
    });
  const controller = new Controller(definition, {
    client,
    cache,
    cachedClient: cachedClient(client, cache),
    clock: systemClock,
    random: systemRandom,
  });
  const running = controller.run(stop.signal);
  await allDone;
  const seconds = (performance.now() - begin) / 1000;
  const { user, system } = process.cpuUsage(cpuBegin);
  stop.abort(new Error("all keys are reconciled"));
  await running;
  return { perSecond: keyCount / seconds, perCpuSecond: keyCount / ((user + system) / 1e6) };
}

/** How many reconciles that do nothing a controller gets through, queueing, context and causal log included. */
export const noopBenchmark: Benchmark = async ({ quick }) => {
  const figures: Record<string, number> = { keys: keyCount };
  for (const concurrency of [1, 10]) {
    const samples: { perSecond: number; perCpuSecond: number }[] = [];
    for (let round = 0; round < (quick ? 3 : 9); round++) samples.push(await reconcileAll(concurrency));
    const median = (of: (sample: (typeof samples)[number]) => number): number =>
      Math.round(samples.map(of).sort((a, b) => a - b)[samples.length >> 1] ?? 0);
    figures[`reconcilesPerSecond${concurrency}`] = median(({ perSecond }) => perSecond);
    figures[`reconcilesPerCpuSecond${concurrency}`] = median(({ perCpuSecond }) => perCpuSecond);
    console.log(
      `${concurrency} at once: ${figures[`reconcilesPerSecond${concurrency}`]} reconciles per second`,
    );
  }
  return figures;
};
