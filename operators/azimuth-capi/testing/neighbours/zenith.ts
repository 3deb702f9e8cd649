import {
  controller,
  defineOperator,
  formatKey,
  type ObjectContext,
  type ReconcileResult,
  type Stored,
} from "keelson";
import { Deployment } from "keelson/kinds/apps/v1";
import { Secret } from "keelson/kinds/core/v1";
import { isRecord, toError } from "keelson/low-level";
import { parse } from "yaml";
import { applyCrds } from "../crds.ts";
import type { Knobs, Pace } from "../knobs.ts";
import { type NeighbourDependencies, type RunningNeighbour, runNeighbour } from "../run-neighbour.ts";
import type { TenantClients } from "../tenants.ts";
import { keysIn } from "./objects.ts";
import { tenantZenith } from "./zenith/tenant-operator.ts";

export interface ZenithKnobs {
  /** How long an operator takes to start and to install its kinds in the tenant cluster. */
  readonly startMs: number;
  /** How long a Reservation is Pending. */
  readonly reservationMs: number;
}

export const zenithDefaults: ZenithKnobs = { startMs: 50, reservationMs: 30 };

export interface ZenithParts extends NeighbourDependencies {
  readonly knobs: Knobs<ZenithKnobs>;
  readonly pace: Pace;
  readonly tenants: TenantClients;
}

/** What one operator needs of the volumes of its Deployment. */
interface OperatorConfig {
  readonly registrarAdminUrl: string;
  readonly kubeconfig: string;
}

interface TenantRun extends RunningNeighbour {
  readonly config: OperatorConfig;
}

/**
 * The pods of Zenith operators: there is one operator for each Deployment `<cluster>-zenith-operator`, which runs as soon
 * as the Secrets exist that its pod mounts, and with what they hold.
 */
export async function startZenith(parts: ZenithParts): Promise<RunningNeighbour> {
  const running = new Map<string, TenantRun>();
  const stop = async (key: string): Promise<void> => {
    const run = running.get(key);
    running.delete(key);
    await run?.[Symbol.asyncDispose]();
  };
  const deployments = controller(Deployment)
    .named("zenith-operators")
    .source(parts.knobs.source(Deployment))
    .watches(Secret, ({ metadata: { namespace } }, { client }) => keysIn(client, Deployment, namespace))
    .notFound(({ key }) => stop(formatKey(key)))
    .reconcile((context) => reconcileOperator(context, parts, { running, stop }));
  const operators = await runNeighbour(defineOperator({ name: "zenith", controllers: [deployments] }), parts);
  return {
    async [Symbol.asyncDispose]() {
      await operators[Symbol.asyncDispose]();
      for (const key of [...running.keys()]) await stop(key);
    },
  };
}

interface Runs {
  readonly running: Map<string, TenantRun>;
  readonly stop: (key: string) => Promise<void>;
}

async function reconcileOperator(
  context: ObjectContext<Deployment>,
  parts: ZenithParts,
  { running, stop }: Runs,
): Promise<ReconcileResult> {
  const { object } = context;
  const { name, namespace, deletionTimestamp } = object.metadata;
  if (!name.endsWith("-zenith-operator")) return undefined;
  const key = formatKey(context.key);
  const config = deletionTimestamp === undefined ? await configOf(context) : undefined;
  const current = running.get(key);
  if (config === undefined) return stop(key);
  if (current !== undefined && isSame(current.config, config)) return undefined;
  // A pod of a Recreate strategy: the old one goes first.
  await stop(key);
  const wait = parts.pace.wait(object, "start", parts.knobs.in(namespace).startMs);
  if (wait !== undefined) return wait;
  try {
    running.set(key, await startOperator(config, namespace, parts));
    return undefined;
  } catch (error) {
    // Such as a tenant cluster that does not respond: its pod would be restarted.
    context.log.debug("the Zenith operator cannot start yet", { error: toError(error) });
    return { requeueAfterMs: 200 };
  }
}

async function startOperator(
  config: OperatorConfig,
  namespace: string | undefined,
  parts: ZenithParts,
): Promise<TenantRun> {
  const { pace, knobs, tenants } = parts;
  const { kubeconfig, registrarAdminUrl } = config;
  const client = await tenants.of(kubeconfig);
  await applyCrds(client, "zenith");
  const reservationMs = (): number => knobs.in(namespace).reservationMs;
  const operator = tenantZenith({ pace, registrarAdminUrl, reservationMs });
  const run = await runNeighbour(operator, { ...parts, client });
  return { config, [Symbol.asyncDispose]: () => run[Symbol.asyncDispose]() };
}

function isSame(one: OperatorConfig, other: OperatorConfig): boolean {
  return one.kubeconfig === other.kubeconfig && one.registrarAdminUrl === other.registrarAdminUrl;
}

/** Undefined while a Secret is missing: then the pod does not start. */
async function configOf({ object, find }: ObjectContext<Deployment>): Promise<OperatorConfig | undefined> {
  const volumes = object.spec?.template.spec?.volumes ?? [];
  const secretOf = async (volume: string): Promise<Stored<Secret> | undefined> => {
    const name = volumes.find((each) => each.name === volume)?.secret?.secretName;
    return name === undefined ? undefined : find(Secret, name);
  };
  const items = volumes.find(({ name }) => name === "kubeconfig")?.secret?.items ?? [];
  const file = items.find(({ path }) => path === "config")?.key ?? "config";
  const kubeconfig = (await secretOf("kubeconfig"))?.data?.[file];
  const text = (await secretOf("etc-zenith"))?.data?.["operator.yaml"];
  if (kubeconfig === undefined || text === undefined) return undefined;
  const config: unknown = parse(Buffer.from(text, "base64").toString());
  if (!isRecord(config) || typeof config.registrarAdminUrl !== "string")
    throw new Error(`start ${object.metadata.name}: its configuration has no registrarAdminUrl`);
  return {
    kubeconfig: Buffer.from(kubeconfig, "base64").toString(),
    registrarAdminUrl: config.registrarAdminUrl,
  };
}
