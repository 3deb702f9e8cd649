import { createHash } from "node:crypto";
import { hostname } from "node:os";
import { type ApiUse, type Logger, Manager, type Operator, systemClock } from "keelson";
import { electionIdentity } from "keelson/leader";
import { systemRandom } from "keelson/low-level";
import { createEventRecorder, createMetrics, createTracing, type Metrics } from "keelson/telemetry";
import type { SettingsByOperator } from "../config/resolve-config.ts";
import { isLoopback, type RunConfig } from "../config/run-config.ts";
import type { LoadedOperator } from "../operators/load-operators.ts";
import { type Cluster, connectCluster } from "./connect-cluster.ts";
import { installOperatorCrds, requireCrds } from "./custom-resources.ts";
import { certificatesIn, managerOptions } from "./manager-options.ts";
import { requireKnownKinds, setUpOperator, withSettings } from "./set-up-operators.ts";

/** The operators of a run, and its configuration. */
export interface Run {
  readonly config: RunConfig;
  readonly loaded: readonly LoadedOperator[];
  readonly operatorSettings: SettingsByOperator;
}

export interface RunDependencies {
  readonly log: Logger;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Of this command. */
  readonly version: string;
}

/** What asking the API server whom to show metrics, or memory, takes. */
const reviewUses: readonly ApiUse[] = [
  { verb: "create", group: "authentication.k8s.io", resource: "tokenreviews" },
  { verb: "create", group: "authorization.k8s.io", resource: "subjectaccessreviews" },
];

/**
 * Runs the operators in one manager until the signal aborts, and resolves when everything has ended. Rejects with what
 * kept it from starting or what ended it.
 */
export async function runOperators(
  { config: chosen, loaded, operatorSettings }: Run,
  { log, env, version }: RunDependencies,
  signal: AbortSignal,
): Promise<void> {
  const operators = withSettings(
    loaded.map(({ operator }) => operator),
    operatorSettings,
  );
  const config = withoutUnreachableWebhooks(chosen, operators, log);
  const name = config.name ?? instanceName(operators.map((operator) => operator.name));
  const userAgent = `${name}/${version}`;
  using metrics = createMetrics({
    aliases: config.metricsAlias === "seed" ? ["seed"] : [],
    processMetrics: config.metricsPort >= 0,
    requestDetails: config.metricsDetails,
    log,
  });
  const { kubeconfig, context } = config;
  await using cluster = await connectCluster({ kubeconfig, context, env, userAgent, log, metrics, signal });
  const { client, access } = cluster;
  log.info("runs operators", {
    operators: operators.map((operator) => operator.name),
    server: access.server,
    kubernetes: cluster.version,
  });
  const { allowIncompatibleCrds: allowIncompatible } = config;
  if (config.installCrds) await installOperatorCrds(client, operators, { log, signal, allowIncompatible });
  else await requireCrds(client, operators, [...new Set(loaded.map(({ origin }) => origin))], signal);
  const manager = await makeManager({ config, operators, cluster, env, name, userAgent, log, metrics });
  for (const operator of operators) await setUpOperator(operator, manager, signal);
  requireKnownKinds(config.concurrency, manager.kinds);
  await manager.run(signal);
}

/**
 * Users of a program without webhooks have no setting for their address: an operator that replaces it runs without its
 * webhooks, unless one is set. For any other operator that is an error.
 */
function withoutUnreachableWebhooks(
  config: RunConfig,
  operators: readonly Operator[],
  log: Logger,
): RunConfig {
  const { webhookService, webhookUrl, webhookCertDir, webhookPort } = config;
  const isReachable = [webhookService, webhookUrl, webhookCertDir].some((way) => way !== undefined);
  const areOptional = operators.every(({ replaces }) => replaces !== undefined);
  if (isReachable || !areOptional || webhookPort < 0) return config;
  log.info(
    "leaves webhooks out; --webhook-service or --webhook-cert-dir names how the API server reaches them",
  );
  return { ...config, webhookPort: -1 };
}

interface ManagerParts {
  readonly config: RunConfig;
  readonly operators: readonly Operator[];
  readonly cluster: Cluster;
  readonly env: RunDependencies["env"];
  readonly name: string;
  readonly userAgent: string;
  readonly log: Logger;
  readonly metrics: Metrics;
}

async function makeManager(parts: ManagerParts): Promise<Manager> {
  const { config, cluster, name, log } = parts;
  const { metricsCertDir, metricsAuth, metricsPort, bindAddress, debug } = config;
  const identity = electionIdentity(hostname(), systemRandom);
  const metricsCertificates =
    metricsCertDir === undefined || metricsPort < 0 ? undefined : certificatesIn(metricsCertDir, log);
  await metricsCertificates?.load();
  if ((metricsAuth || debug) && metricsCertificates === undefined && !isLoopback(bindAddress))
    log.warn(
      "tokens of those who read metrics or debug cross the network unencrypted; set --metrics-cert-dir",
    );
  const events = createEventRecorder({
    client: cluster.client,
    clock: systemClock,
    random: systemRandom,
    log,
    observer: parts.metrics.events,
    reportingController: name,
    reportingInstance: hostname().slice(0, 128),
  });
  const tracer = await createTracing();
  const manager = new Manager(managerOptions({ ...parts, identity, events, tracer, metricsCertificates }));
  if (metricsAuth) manager.declareUses("metrics", reviewUses);
  if (debug) manager.declareUses("debug", reviewUses);
  if (metricsCertificates !== undefined)
    manager.add({
      name: "metrics certificates",
      needsLeadership: false,
      run: (signal) => metricsCertificates.run(signal),
    });
  return manager;
}

const longest = 63;
const separator = "--";

/**
 * What a run of these operators is called by default. Replicas of the same operators get the same name,
 * runs of other operators another one, so that they do not share one Lease.
 */
export function instanceName(operators: readonly string[]): string {
  const sorted = operators.toSorted();
  // No name begins or ends with a dash, so two lists give the same text only if a name holds the separator.
  const name = `keelson-${sorted.join(separator)}`;
  if (name.length <= longest && !sorted.some((each) => each.includes(separator))) return name;
  return `keelson-${createHash("sha256").update(sorted.join("\n")).digest("hex").slice(0, 16)}`;
}
