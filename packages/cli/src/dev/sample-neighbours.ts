import { type Logger, type Operator, systemClock } from "keelson";
import { accessFromKubeconfig, createClient, type Environment, httpTransport } from "keelson/client";
import { isRecord, systemRandom } from "keelson/low-level";
import type { NeighbourContext, SampleNeighbours, StartSampleNeighbours } from "keelson/manager";
import type { SettingsByOperator } from "../config/resolve-config.ts";
import { type EmbeddedCluster, startEmbeddedCluster } from "../sandbox/embedded-cluster.ts";
import { NeighboursNotStartedError } from "./errors.ts";

export interface NeighboursOptions {
  /** Those whose samples are applied. */
  readonly operators: readonly Operator[];
  /** On which they will run. */
  readonly cluster: EmbeddedCluster;
  /** For programs that are started. */
  readonly env: Environment;
  readonly log: Logger;
  readonly signal: AbortSignal;
}

/** What the samples need beside their operators. Disposing of it ends it. */
export interface RunningNeighbours extends AsyncDisposable {
  /** The settings, with those that the neighbours add. */
  settings(given: SettingsByOperator): SettingsByOperator;
  /** What sample files contain as `${name}`, by name. */
  readonly texts: ReadonlyMap<string, string>;
}

const noNeighbours: RunningNeighbours = {
  settings: (given) => given,
  texts: new Map(),
  [Symbol.asyncDispose]: async () => undefined,
};

/** Starts the neighbours of the operators that have some. Leaves nothing running if it rejects. */
export async function startSampleNeighbours(options: NeighboursOptions): Promise<RunningNeighbours> {
  const modules = options.operators.flatMap(({ name, samples }) =>
    samples?.neighbours === undefined ? [] : [{ name, url: samples.neighbours }],
  );
  if (modules.length === 0) return noNeighbours;
  const started = new Map<string, SampleNeighbours>();
  /** What they use; more may come as long as they run. */
  const used: AsyncDisposable[] = [];
  const stop = async (): Promise<void> => {
    for (const each of [...started.values()].reverse()) await each[Symbol.asyncDispose]();
    for (const each of used.reverse()) await each[Symbol.asyncDispose]();
  };
  try {
    const context = await neighbourContext(options, used);
    for (const { name, url } of modules) {
      started.set(name, await startOne(name, url, context));
      options.signal.throwIfAborted();
    }
  } catch (error) {
    await stop();
    throw error;
  }
  const texts = new Map([...started.values()].flatMap((each) => Object.entries(each.texts ?? {})));
  return {
    settings: (given) =>
      new Map([...given].map(([name, values]) => [name, over(started.get(name)?.settings ?? {}, values)])),
    texts,
    [Symbol.asyncDispose]: stop,
  };
}

async function neighbourContext(
  { cluster, env, log, signal }: NeighboursOptions,
  used: AsyncDisposable[],
): Promise<NeighbourContext> {
  const kubeconfig = await cluster.issueKubeconfig("keelson-neighbours", ["system:masters"]);
  const transport = httpTransport(accessFromKubeconfig(kubeconfig, { clock: systemClock, env: {} }));
  used.push({ [Symbol.asyncDispose]: () => transport.close() });
  return {
    // What the server warns of is the concern of those who wrote what is simulated.
    client: createClient({ transport }),
    ...{ clock: systemClock, random: systemRandom, log, env },
    startCluster: async () => {
      const second = await startSecondCluster(log, signal);
      used.push(second);
      return second;
    },
  };
}

function startSecondCluster(log: Logger, signal: AbortSignal): Promise<EmbeddedCluster> {
  return startEmbeddedCluster(
    {
      ...{ host: "127.0.0.1", port: 0, nodes: 0, controllers: true },
      ...{ data: undefined, fsync: false, repair: false, kubeconfig: undefined },
    },
    {
      error: (error, where) => log.error("another control plane failed", { where, error }),
      notice: (text) => log.warn(text),
    },
    signal,
  );
}

async function startOne(name: string, url: URL, context: NeighbourContext): Promise<SampleNeighbours> {
  try {
    const exported: unknown = await import(url.href);
    if (!isNeighbourModule(exported)) throw new Error(`${url.href} does not export startNeighbours`);
    return await exported.startNeighbours(context);
  } catch (error) {
    throw new NeighboursNotStartedError(name, { cause: error });
  }
}

function isNeighbourModule(value: unknown): value is { readonly startNeighbours: StartSampleNeighbours } {
  return isRecord(value) && typeof value.startNeighbours === "function";
}

type Values = Readonly<Record<string, unknown>>;

/** The values with what was given over them; what is undefined was not given. */
function over(values: Values, given: Values): Values {
  const changes = Object.entries(given).flatMap(([key, value]) => {
    const before = values[key];
    if (value === undefined) return [];
    return [[key, isRecord(before) && isRecord(value) ? over(before, value) : value] as const];
  });
  return { ...values, ...Object.fromEntries(changes) };
}
