import { type Client, createClient } from "@keelson/client";
import type { Random } from "@keelson/core";
import { type HollowNodes, startHollowNodes } from "@keelson/hollow";
import { createSandbox, type Sandbox } from "@keelson/sandbox";
import type { Operator } from "keelson";
import { type Endings, endAll } from "../end-all.ts";
import { type RunningOperator, type RunOperatorOptions, startOperator } from "../operator/run-operator.ts";
import type { VirtualClock } from "../virtual-clock.ts";
import { createNamespace } from "./create-namespace.ts";
import type { StartWorldOptions } from "./start-world.ts";

export interface VirtualWorldOptions extends Pick<StartWorldOptions, "nodes" | "hollow"> {
  /** The time of the control plane, its nodes and the operators. */
  readonly clock: VirtualClock;
  /** For uids, generated names and delays; one with a seed repeats the same run. Default: the machine's. */
  readonly random?: Random;
}

/**
 * The embedded control plane, hollow nodes and operators in this process, on a clock that the test advances, without
 * sockets and without kubectl. Its methods advance the clock as far as they need; between them time stands still, and
 * `clock.advance`, `clock.advanceUntil` and `clock.runUntil` are for the test to call, one at a time.
 */
export interface VirtualWorld extends AsyncDisposable {
  readonly clock: VirtualClock;
  /** The control plane itself, with its faults. */
  readonly sandbox: Sandbox;
  /** The administrator's. Its calls need no time, except `waitFor` and watches. */
  readonly client: Client;
  readonly nodes: HollowNodes;
  /** Creates a namespace for the caller alone, in which pods can run, and returns its name. */
  createNamespace(): Promise<string>;
  /** Runs an operator as `runOperator` does, as the administrator; it ends with the world, unless it has before. */
  runOperator(
    operator: Operator,
    options?: Omit<RunOperatorOptions, "access" | "adminAccess" | "clock" | "webhooks">,
  ): Promise<RunningOperator>;
  /** When it resolves, nothing is left. May be called more than once. */
  stop(): Promise<void>;
}

/** Starts a virtual world; leaves nothing behind if it rejects. */
export async function startVirtualWorld(options: VirtualWorldOptions): Promise<VirtualWorld> {
  const endings: Endings = [];
  try {
    return await start(options, endings);
  } catch (error) {
    await endAll(endings.splice(0));
    throw error;
  }
}

async function start(
  { clock, random, nodes: count = 1, hollow = {} }: VirtualWorldOptions,
  endings: Endings,
): Promise<VirtualWorld> {
  const chance = random === undefined ? {} : { random };
  const inTime = <T>(promise: Promise<T>): Promise<T> => clock.runUntil(promise);
  const sandbox = await createSandbox({ clock, ...chance });
  endings.push(() => inTime(sandbox.stop()));
  const transport = sandbox.transport();
  const client = createClient({ transport, clock });
  const nodes = await inTime(
    startHollowNodes({ removeNodes: false, ...chance, ...hollow, client, clock, nodes: count }),
  );
  endings.push(() => inTime(nodes.stop()));
  const stop = (): Promise<void> => endAll(endings.splice(0));
  return {
    ...{ clock, sandbox, client, nodes, stop },
    createNamespace: () => inTime(createNamespace(client)),
    runOperator: async (operator, operatorOptions) => {
      const own = { ...chance, ...operatorOptions, access: { transport }, clock };
      const running = await inTime(startOperator(operator, own, {}, clock));
      endings.push(() => inTime(running.stop()));
      return {
        ...running,
        get problems() {
          return running.problems;
        },
        idle: () => inTime(running.idle()),
        stop: () => inTime(running.stop()),
        kill: () => inTime(running.kill()),
        [Symbol.asyncDispose]: () => inTime(running.stop()),
      };
    },
    [Symbol.asyncDispose]: stop,
  };
}
