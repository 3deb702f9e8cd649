import { hostname } from "node:os";
import {
  type ApiUse,
  createEventRecorder,
  createMetrics,
  createTracing,
  electionIdentity,
  type Logger,
  Manager,
  type Metrics,
  systemClock,
  systemRandom,
} from "keelson";
import type { RunConfig } from "../config/run-config.ts";
import { isLoopback } from "../config/run-rules.ts";
import type { LoadedOperator } from "../operators/load-operators.ts";
import { type Cluster, connectCluster } from "./connect-cluster.ts";
import { demandCrds, installCrds } from "./custom-resources.ts";
import { demandKinds } from "./demand-kinds.ts";
import { instanceName } from "./instance-name.ts";
import { certificatesIn, managerOptions } from "./manager-options.ts";
import { setUpOperator } from "./set-up-operator.ts";

export interface RunSurroundings {
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
  config: RunConfig,
  loaded: readonly LoadedOperator[],
  { log, env, version }: RunSurroundings,
  signal: AbortSignal,
): Promise<void> {
  const operators = loaded.map(({ operator }) => operator);
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
  if (config.installCrds) await installCrds(client, operators, { log, signal });
  else await demandCrds(client, operators, [...new Set(loaded.map(({ origin }) => origin))], signal);
  const manager = await makeManager({ config, cluster, name, userAgent, log, metrics });
  for (const operator of operators) await setUpOperator(operator, manager, signal);
  demandKinds(config.concurrency, manager.kinds);
  await manager.run(signal);
}

interface ManagerParts {
  readonly config: RunConfig;
  readonly cluster: Cluster;
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
