import { type Client, type Clock, type Logger, Manager, type Operator, type Random } from "keelson";
import { toError } from "keelson/low-level";

/** What a neighbour runs with. */
export interface NeighbourDependencies {
  /** Of an administrator. */
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
}

/** A neighbour that runs. Disposing of it ends it; its objects and kinds stay. */
export type RunningNeighbour = AsyncDisposable;

const graceMs = 1_000;

/** Runs an operator of another project in this process. Resolves when it reconciles. */
export async function runNeighbour(
  operator: Operator,
  { client, clock, random, log }: NeighbourDependencies,
): Promise<RunningNeighbour> {
  const { name } = operator;
  const stopping = new AbortController();
  const manager = new Manager({
    ...{ client, clock, random, name, graceMs, log: log.with({ neighbour: name }) },
    metrics: { port: -1 },
    health: { port: -1 },
    permissionCheck: "off",
  });
  await operator.setup(manager);
  const ended = manager.run(stopping.signal).catch((error: unknown) => {
    if (!stopping.signal.aborted) throw error;
    log.warn(`the neighbour ${name} did not end in order`, { error: toError(error) });
  });
  // Its end is reported when it is disposed of.
  ended.catch(() => undefined);
  await Promise.race([manager.elected, ended]);
  return {
    async [Symbol.asyncDispose]() {
      stopping.abort(new Error(`the neighbour ${name} is stopped`));
      await ended;
    },
  };
}
