import { hostname } from "node:os";
import { type Client, type Logger, type Operator, systemClock } from "keelson";
import type { Cache } from "keelson/cache";
import type { Environment } from "keelson/client";
import { systemRandom, toError } from "keelson/low-level";
import { operatorCacheKinds } from "keelson/manager";
import { createEventRecorder, createMetrics, type Metrics } from "keelson/telemetry";
import type { ManagedWebhooks } from "keelson/webhook";
import { type Cluster, connectCluster } from "../run/connect-cluster.ts";
import { installOperatorCrds } from "../run/custom-resources.ts";
import { setUpOperator } from "../run/set-up-operators.ts";
import { DevManager, webhooksInPlace } from "./dev-webhooks.ts";

export interface StartOperatorsOptions {
  /** As their settings make them. */
  readonly operators: readonly Operator[];
  readonly kubeconfigPath: string;
  /** Installs kinds that break objects or clients of those that the control plane has. */
  readonly allowIncompatibleCrds: boolean;
  /** For programs that operators start. */
  readonly env: Environment;
  /** Of this command. */
  readonly version: string;
  readonly log: Logger;
  readonly signal: AbortSignal;
}

/**
 * Operators that run: their kinds are served, their caches have synced, their webhooks are called. Disposing of them ends
 * them; the log names those that did not end in time.
 */
export interface RunningOperators extends AsyncDisposable {
  readonly client: Client;
  readonly cache: Cache;
  /** Rejects with the error that ended them, if they end before they are stopped. */
  readonly ended: Promise<void>;
}

const name = "keelson-dev";
const loopback = "127.0.0.1";
/** Together with everything else that has to end, this is short enough for a user who has pressed Ctrl-C. */
const graceMs = 1_000;

/** Installs the kinds of the operators and runs all of them in one manager. Leaves nothing running if it rejects. */
export async function startOperators(options: StartOperatorsOptions): Promise<RunningOperators> {
  const { operators, kubeconfigPath, env, version, log, signal } = options;
  const { allowIncompatibleCrds: allowIncompatible } = options;
  const metrics = createMetrics({ processMetrics: false, log });
  const access = { kubeconfig: kubeconfigPath, context: undefined, env: {}, userAgent: `${name}/${version}` };
  const cluster = await connectCluster({ ...access, log, metrics, signal });
  const stopping = new AbortController();
  let ended: Promise<void> | undefined;
  const stop = async (): Promise<void> => {
    stopping.abort(new Error("the operators are stopped"));
    await ended?.catch(() => undefined);
    metrics[Symbol.dispose]();
    await cluster[Symbol.asyncDispose]();
  };
  try {
    await installOperatorCrds(cluster.client, operators, { log, signal, allowIncompatible });
    const { manager, webhooksAt } = makeManager(cluster, { operators, env, metrics, log });
    for (const operator of operators) await setUpOperator(operator, manager, signal);
    const runSignal = AbortSignal.any([signal, stopping.signal]);
    ended = manager.run(runSignal).catch((error: unknown) => {
      if (!runSignal.aborted) throw error;
      // The command ends all the same.
      log.warn("the operators did not end in order", { error: toError(error) });
    });
    await Promise.race([manager.elected, ended]);
    signal.throwIfAborted();
    const { admissions, cache } = manager;
    if (admissions.length > 0)
      await webhooksInPlace(cluster.client, { admissions, name, url: await webhooksAt }, signal);
    return { client: cluster.client, cache, ended, [Symbol.asyncDispose]: stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

interface ManagerParts extends Pick<StartOperatorsOptions, "operators" | "env" | "log"> {
  readonly metrics: Metrics;
}

function makeManager(
  { client, access }: Cluster,
  { operators, env, metrics, log }: ManagerParts,
): { readonly manager: DevManager; readonly webhooksAt: Promise<string> } {
  const listening = Promise.withResolvers<string>();
  const urlOf = (port: number): string => `https://${loopback}:${port}`;
  const certificates: ManagedWebhooks = {
    secret: { namespace: "kube-system", name: `${name}-webhook-certificates` },
    name,
    endpoint: (port) => ({ url: urlOf(port) }),
  };
  const manager = new DevManager({
    ...{ client, access, env, name, log, graceMs },
    cache: { kinds: operatorCacheKinds(operators) },
    metrics: { port: -1, gathered: metrics },
    health: { port: -1 },
    webhooks: { host: loopback, port: 0, certificates },
    events: createEventRecorder({
      ...{ client, clock: systemClock, random: systemRandom, log, observer: metrics.events },
      ...{ reportingController: name, reportingInstance: hostname().slice(0, 128) },
    }),
    // The user of a control plane on this machine may do everything on it.
    permissionCheck: "off",
    onListening: (_, port) => listening.resolve(urlOf(port)),
  });
  return { manager, webhooksAt: listening.promise };
}
