import {
  accessFromKubeconfig,
  type Client,
  type ClusterAccess,
  createClient,
  type Environment,
  httpTransport,
} from "@keelson/client";
import {
  type Clock,
  type Kubeconfig,
  type Random,
  systemClock,
  systemRandom,
  type Transport,
} from "@keelson/core";
import type { Logger, Manager, ManagerOptions, Operator } from "keelson";
import { installCrds } from "keelson/object";
import { createMetrics } from "keelson/telemetry";
import { type Endings, endAll } from "../end-all.ts";
import { type CrashingTransportOptions, crashingTransport } from "./crashing-transport.ts";
import { OperatorRun } from "./operator-run.ts";
import type { OperatorProblem } from "./problem-log.ts";
import { type RecordedWrite, recordingTransport } from "./recorded-write.ts";

export interface RunOperatorOptions {
  /** As whom the operator runs. */
  readonly access: OperatorAccess;
  /** Who installs CustomResourceDefinitions, and removes webhook configurations at the end. Default: `access`. */
  readonly adminAccess?: OperatorAccess;
  /** Its settings, as an administrator would set them; its schema adds the defaults. Default: none are set. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** The namespaces that it watches. Default: all. */
  readonly namespaces?: readonly string[];
  /** Whether its webhooks are served, on 127.0.0.1, and registered with the API server. Default false. */
  readonly webhooks?: boolean;
  /** Puts something between the operator and its connection, such as `faultyTransport`. */
  readonly wrap?: (transport: Transport) => Transport;
  /** Default: the machine's. */
  readonly clock?: Clock;
  /** Default: the machine's. */
  readonly random?: Random;
  /** What programs that it starts may find in their environment. Default: nothing. */
  readonly env?: Environment;
  /** Default: shows warnings and errors on the console. */
  readonly log?: Logger;
  /** Whether it records Events. Default true. */
  readonly events?: boolean;
  /** What a permission that is missing at the start does. Default `fail`: nothing starts. */
  readonly permissionCheck?: NonNullable<ManagerOptions["permissionCheck"]>;
  /** How often it looks for optional kinds that the API server does not serve. Default: that of the cache, 30 s. */
  readonly servedCheckMs?: number;
}

/** An operator that runs in the test's own process. */
export interface RunningOperator extends AsyncDisposable {
  readonly manager: Manager;
  /** Past the operator's own connection: uncached, not recorded and not wrapped. */
  readonly client: Client;
  /**
   * What the operator has sent that is not a read, in order, whether it succeeded or not. Events, Leases, reviews, dry
   * runs and the upkeep of its webhooks are left out.
   */
  readonly writes: readonly RecordedWrite[];
  clearWrites(): void;
  /** The last warnings and errors that it has logged, each text once, whatever its logger; the latest one last. */
  readonly problems: readonly OperatorProblem[];
  /** As Prometheus reads them. */
  metrics(): Promise<string>;
  /**
   * Resolves when no key is ready and none is being reconciled. After the start that is: when each object that was there
   * has been reconciled. Keys that wait for a time, by a back-off or a requeue, are not waited for.
   */
  idle(): Promise<void>;
  /** Settles when the operator has ended; rejects if that is because something failed. */
  readonly ended: Promise<void>;
  /** Ends it, and resolves when nothing is left; rejects with what ended it before. May be called more than once. */
  stop(): Promise<void>;
  /** Ends it as a killed process ends: from now on nothing reaches the server. Resolves when nothing is left. */
  kill(): Promise<void>;
}

/**
 * Runs an operator against a cluster, as `keelson run` does, but without leader election, and without ports for metrics
 * and health. Its CustomResourceDefinitions are installed first, and stay. Resolves when all its controllers reconcile
 * and, if requested, the API server calls its webhooks.
 */
export async function runOperator(operator: Operator, options: RunOperatorOptions): Promise<RunningOperator> {
  return startOperator(operator, options);
}

/** A running operator whose connections may die during one of its writes. */
export interface CrashableOperator extends RunningOperator {
  /** Aborts when they die. */
  readonly crashed: AbortSignal;
  /** The write during which they died, if it was one. */
  crashedAt(): RecordedWrite | undefined;
}

/** Resolves when it runs, or when it has died on the way there. `waitClock` measures how long that may take. */
export async function startOperator(
  operator: Operator,
  options: RunOperatorOptions,
  crash: CrashingTransportOptions = {},
  waitClock: Clock = systemClock,
): Promise<CrashableOperator> {
  const endings: Endings = [];
  try {
    return await start(operator, options, { crash, waitClock }, endings);
  } catch (error) {
    await endAll(endings.splice(0));
    throw error;
  }
}

async function start(
  operator: Operator,
  options: RunOperatorOptions,
  { crash, waitClock }: { readonly crash: CrashingTransportOptions; readonly waitClock: Clock },
  endings: Endings,
): Promise<CrashableOperator> {
  const { access, adminAccess = access, wrap = (transport) => transport } = options;
  const { clock = systemClock, random = systemRandom } = options;
  const writes: RecordedWrite[] = [];
  // Operators that run side by side each have webhooks of their own.
  const webhookName = `${operator.name}-testkit-${random.next().toString(36).slice(2, 10)}`;
  const adminTransport = openAccess(adminAccess);
  const connection = crashingTransport(wrap(openAccess(access, clock)), crash);
  endings.push(
    () => adminTransport.close(),
    () => connection.close(),
  );
  const metrics = createMetrics({ clock, processMetrics: false });
  const transport = recordingTransport(connection, (write) => {
    if (write.name !== webhookName) writes.push(write);
  });
  const client = createClient({ transport: metrics.measureTransport(transport, "cluster"), clock });
  const admin = createClient({ transport: adminTransport, clock: waitClock });
  await installCrds(admin, operator.withSettings(options.settings).resources);
  const life = new OperatorRun(operator, {
    ...{ options, client, admin, connection, metrics, webhookName, waitClock },
    access: "kubeconfig" in access ? clusterAccess(access.kubeconfig, clock) : undefined,
    release: () => endAll(endings.splice(0)),
  });
  await life.start();
  return {
    manager: life.manager,
    client: admin,
    writes,
    clearWrites: () => void writes.splice(0),
    get problems() {
      return life.problems;
    },
    metrics: () => metrics.render(),
    idle: () => life.idle(),
    ended: life.ended,
    stop: () => life.stop(),
    kill: () => life.kill(),
    crashed: connection.crashed,
    crashedAt: () => connection.crashedAt,
    [Symbol.asyncDispose]: () => life.stop(),
  };
}

/** How a cluster is reached: by a connection of one's own, or by one that stays its owner's and is not closed. */
export type OperatorAccess = { readonly kubeconfig: Kubeconfig } | { readonly transport: Transport };

/** A transport whose `close` closes only what was opened here. */
export function openAccess(access: OperatorAccess, clock: Clock = systemClock): Transport {
  if ("kubeconfig" in access) return httpTransport(clusterAccess(access.kubeconfig, clock));
  const { transport } = access;
  return { send: (request) => transport.send(request), close: async () => undefined };
}

function clusterAccess(kubeconfig: Kubeconfig, clock: Clock): ClusterAccess {
  return accessFromKubeconfig(kubeconfig, { clock, env: {} });
}

/**
 * Has another operator look at a world that has settled, until it has reconciled each object once, and gives what it wrote:
 * nothing, if the desired state is reached. No other one may run.
 */
export async function secondPass(
  operator: Operator,
  options: RunOperatorOptions,
): Promise<readonly RecordedWrite[]> {
  await using running = await runOperator(operator, options);
  await running.idle();
  return [...running.writes];
}
