import { z } from "keelson";
import type { ConcurrencyDefaults } from "keelson/controller";
import { dnsLabelProblem } from "keelson/low-level";
import type { LogLevel } from "keelson/telemetry";
import { type Setting, type SettingsSchema, setting, settingsOf } from "./setting.ts";
import {
  choice,
  concurrency,
  dnsLabel,
  dnsSubdomain,
  durationMs,
  httpsUrl,
  list,
  logLevel,
  port,
  type ServiceName,
  serviceName,
  text,
  toggle,
} from "./setting-types.ts";

/** The configuration of `keelson run`. */
export interface RunConfig {
  readonly operators: readonly string[] | undefined;
  readonly name: string | undefined;
  readonly kubeconfig: string | undefined;
  readonly context: string | undefined;
  readonly namespace: readonly string[] | undefined;
  readonly installCrds: boolean;
  readonly allowIncompatibleCrds: boolean;
  readonly permissionCheck: "fail" | "warn" | "off";
  readonly concurrency: ConcurrencyDefaults;
  /** Milliseconds, as are all times here. */
  readonly gracePeriod: number;
  readonly leaderElect: boolean;
  readonly leaseName: string | undefined;
  readonly leaseNamespace: string | undefined;
  readonly leaseDuration: number;
  readonly renewDeadline: number;
  readonly retryPeriod: number;
  readonly bindAddress: string | undefined;
  readonly metricsPort: number;
  readonly metricsAuth: boolean;
  readonly metricsCertDir: string | undefined;
  readonly metricsAlias: "none" | "seed";
  readonly metricsDetails: boolean;
  readonly healthPort: number;
  readonly debug: boolean;
  readonly webhookPort: number;
  readonly webhookCertDir: string | undefined;
  readonly webhookService: ServiceName | undefined;
  readonly webhookUrl: string | undefined;
  readonly logLevel: LogLevel;
  readonly logFormat: "auto" | "json" | "pretty";
}

const isDnsLabel = (name: string): boolean => dnsLabelProblem(name) === undefined;

const operators = "Operators";
const cluster = "Cluster";
const election = "Leader election";
const serving = "Metrics and health";
const webhooks = "Webhooks";
const logs = "Logs";

/**
 * The settings of `keelson run`: flags, variables, keys of a file, the help and the table in the README are all made of
 * this.
 */
export const runSchema: SettingsSchema<RunConfig> = z.strictObject<SettingsSchema<RunConfig>["shape"]>({
  operators: setting(list("names of operators, paths or packages"), {
    group: operators,
    help: "what to run, if no OPERATOR stands on the command line",
    placeholder: "OPERATOR",
    isList: true,
  }),
  name: setting(dnsLabel("a name"), {
    group: operators,
    help: "what the Lease, webhook configurations and roles are called, and who reports events",
    placeholder: "NAME",
    defaultHelp: "keelson- and the operators",
  }),
  concurrency: setting(concurrency(), {
    group: operators,
    help: "how many objects a controller reconciles at once unless its code sets it, of all kinds or of one",
    placeholder: "[KIND.GROUP=]NUMBER",
    default: "1",
    isList: true,
  }),
  gracePeriod: setting(durationMs(), {
    group: operators,
    help: "how long everything may take to end after SIGTERM",
    placeholder: "TIME",
    default: "30s",
  }),
  kubeconfig: setting(text("the path of a kubeconfig"), {
    group: cluster,
    help: "the kubeconfig to use",
    placeholder: "FILE",
    defaultHelp: "KUBECONFIG, the cluster of this pod, ~/.kube/config",
  }),
  context: setting(text("the name of a context"), {
    group: cluster,
    help: "the context of the kubeconfig",
    placeholder: "NAME",
    defaultHelp: "the current one",
  }),
  namespace: setting(list("names of namespaces", isDnsLabel), {
    group: cluster,
    help: "work only in this namespace: watches, writes, webhooks and permissions",
    placeholder: "NAMESPACE",
    defaultHelp: "all of them",
    isList: true,
  }),
  installCrds: setting(toggle(), {
    group: cluster,
    help: "apply the CustomResourceDefinitions of the operators before they start",
    default: "false",
  }),
  allowIncompatibleCrds: setting(toggle(), {
    group: cluster,
    help: "apply them also if stored objects or clients would break",
    default: "false",
  }),
  permissionCheck: setting(choice(["fail", "warn", "off"]), {
    group: cluster,
    help: "what a permission that is missing at the start does: fail, warn, or off",
    placeholder: "WHAT",
    default: "fail",
  }),
  leaderElect: setting(toggle(), {
    group: election,
    help: "reconcile only in the replica that holds a Lease",
    default: "false",
  }),
  leaseName: setting(dnsSubdomain("the name of a Lease"), {
    group: election,
    help: "the Lease; replicas that share it take turns",
    placeholder: "NAME",
    defaultHelp: "that of --name",
  }),
  leaseNamespace: setting(dnsLabel("a namespace"), {
    group: election,
    help: "where the Lease is",
    placeholder: "NAMESPACE",
    defaultHelp: "that of this pod or of the context",
  }),
  leaseDuration: setting(durationMs(), {
    group: election,
    help: "how long other replicas wait after the last renewal",
    placeholder: "TIME",
    default: "15s",
  }),
  renewDeadline: setting(durationMs(), {
    group: election,
    help: "how long a leader that cannot renew goes on",
    placeholder: "TIME",
    default: "10s",
  }),
  retryPeriod: setting(durationMs(), {
    group: election,
    help: "the time between two tries",
    placeholder: "TIME",
    default: "2s",
  }),
  bindAddress: setting(text("an address"), {
    group: serving,
    help: "the address that everything listens on",
    placeholder: "ADDRESS",
    defaultHelp: "all",
  }),
  metricsPort: setting(port(), {
    group: serving,
    help: "serves /metrics; -1 for none",
    placeholder: "PORT",
    default: "8080",
  }),
  metricsAuth: setting(toggle(), {
    group: serving,
    help: "show metrics only to those whose token may get the URL /metrics",
    default: "false",
  }),
  metricsCertDir: setting(text("a folder"), {
    group: serving,
    help: "serve metrics by HTTPS, with tls.crt and tls.key of this folder",
    placeholder: "FOLDER",
    defaultHelp: "HTTP",
  }),
  metricsAlias: setting(choice(["none", "seed"]), {
    group: serving,
    help: "second names for some metrics: seed, such as reconcile_total, or none",
    placeholder: "SET",
    default: "seed",
  }),
  metricsDetails: setting(toggle(), {
    group: serving,
    help: "also measure how long requests to the API server take, how large they are, and which are repeated",
    default: "false",
  }),
  healthPort: setting(port(), {
    group: serving,
    help: "serves /healthz and /readyz; may be that of the metrics; -1 for none",
    placeholder: "PORT",
    default: "8081",
  }),
  debug: setting(toggle(), {
    group: serving,
    help: "serve /debug/why, /debug/heap and /debug/cpu beside the metrics, to those whose token may get the URL /debug",
    default: "false",
  }),
  webhookPort: setting(port(), {
    group: webhooks,
    help: "serves webhooks, if operators have some; -1 leaves them out",
    placeholder: "PORT",
    default: "9443",
  }),
  webhookService: setting(serviceName(), {
    group: webhooks,
    help: "the Service that leads to the webhooks: certificates and configurations are made for it and kept",
    placeholder: "NAMESPACE/NAME[:PORT]",
  }),
  webhookUrl: setting(httpsUrl(), {
    group: webhooks,
    help: "the same for an operator outside the cluster: where the API server reaches it",
    placeholder: "URL",
  }),
  webhookCertDir: setting(text("a folder"), {
    group: webhooks,
    help: "serve with tls.crt and tls.key of this folder; their issuer also maintains the webhook configurations",
    placeholder: "FOLDER",
  }),
  logLevel: setting(logLevel(), {
    group: logs,
    help: "what is less urgent is not written: debug, info, warn, or error",
    placeholder: "LEVEL",
    default: "info",
  }),
  logFormat: setting(choice(["auto", "json", "pretty"]), {
    group: logs,
    help: "json, pretty, or auto: pretty on a terminal",
    placeholder: "FORMAT",
    default: "auto",
  }),
});

/** All settings of `keelson run`. */
export const runSettings: readonly Setting[] = settingsOf(runSchema.shape);

const loopback = /^(127\.\d+\.\d+\.\d+|::1|localhost)$/;

/** Whether only programs on this machine can reach what listens there. */
export function isLoopback(address: string | undefined): boolean {
  return address !== undefined && loopback.test(address);
}

/** The contradictions between settings that are valid by themselves, a line for each. */
export function ruleProblems(config: RunConfig): readonly string[] {
  const { debug, metricsPort, installCrds, allowIncompatibleCrds } = config;
  const { webhookCertDir, webhookService, webhookUrl } = config;
  const { leaseDuration, renewDeadline, retryPeriod } = config;
  const webhookWays = [webhookCertDir, webhookService, webhookUrl].filter((way) => way !== undefined);
  const rules: readonly (readonly [isBroken: boolean, problem: string])[] = [
    [
      allowIncompatibleCrds && !installCrds,
      "--allow-incompatible-crds: nothing is installed; set --install-crds",
    ],
    [debug && metricsPort < 0, "--debug: is served beside the metrics; set --metrics-port"],
    [
      webhookWays.length > 1,
      "--webhook-service, --webhook-url, --webhook-cert-dir: only one of them can be; choose one",
    ],
    [leaseDuration <= renewDeadline, "--lease-duration: must be longer than --renew-deadline; lengthen it"],
    [leaseDuration % 1000 !== 0, "--lease-duration: must be whole seconds; round it"],
    [
      renewDeadline <= 1.2 * retryPeriod,
      "--renew-deadline: must be more than 1.2 times --retry-period; lengthen it",
    ],
  ];
  return rules.flatMap(([isBroken, problem]) => (isBroken ? [problem] : []));
}
