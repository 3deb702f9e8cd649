import type { IgnoredFlag, ReplacedProgram, SettingAlias } from "keelson/manager";
import { csvFields } from "./csv-fields.ts";
import { parseBoolean } from "./setting-types.ts";

/**
 * Settings whose flags are upstream's without further ado. Upstream's next version reads each flag from a variable as well,
 * and its present version reads those of alerts from variables alone.
 */
const sameFlags = [
  ...["auto-reload-all", "reload-strategy", "rollout-strategy", "reload-on-create", "reload-on-delete"],
  ...["namespaces-to-ignore", "namespace-selector", "resource-label-selector"],
  ...["resources-to-ignore", "ignored-workload-types"],
  ...["alert-on-reload", "alert-sink", "alert-webhook-url", "alert-webhook-proxy"],
  ...["alert-additional-info", "alert-structured"],
  ...["auto-annotation", "configmap-auto-annotation", "secret-auto-annotation"],
  ...["secretproviderclass-auto-annotation", "configmap-annotation", "secret-annotation"],
  ...["secretproviderclass-annotation", "configmap-exclude-annotation", "secret-exclude-annotation"],
  ...["secretproviderclass-exclude-annotation", "auto-search-annotation", "search-match-annotation"],
  ...["ignore-annotation", "pause-deployment-annotation", "pause-deployment-time-annotation"],
] as const;

/** Flags that have another name here. */
const otherFlags: readonly (readonly [flag: string, setting: string, value?: SettingAlias["value"]])[] = [
  ["--is-Argo-Rollouts", "reloader.argoRollouts"],
  ["--enable-csi-integration", "reloader.csi"],
  ["--is-openshift", "reloader.openshift", (text) => (text === "" || text === "auto" ? "true" : text)],
  ["--webhook-url", "reloader.webhookUrl", unlessEmpty],
  ["--alert-proxy", "reloader.alertWebhookProxy", unlessEmpty],
  ["--namespaces", "namespace", items],
  ["--enable-ha", "leaderElect", boolean],
  ["--leader-elect", "leaderElect", boolean],
  ["--leader-election-id", "leaseName", unlessEmpty],
  ["--leader-election-namespace", "leaseNamespace", unlessEmpty],
  ["--leader-election-lease-duration", "leaseDuration"],
  ["--leader-election-renew-deadline", "renewDeadline"],
  ["--leader-election-retry-period", "retryPeriod"],
  ["--metrics-addr", "metricsPort", port],
  ["--metrics-bind-address", "metricsPort", port],
  ["--metrics-secure", "metricsAuth", boolean],
  ["--metrics-cert-path", "metricsCertDir", unlessEmpty],
  ["--webhook-cert-path", "webhookCertDir", unlessEmpty],
  ["--health-addr", "healthPort", port],
  ["--health-probe-bind-address", "healthPort", port],
  ["--enable-pprof", "debug", boolean],
  ["--log-level", "logLevel", logLevel],
  ["--zap-log-level", "logLevel", logLevel],
  ["--log-format", "logFormat", logFormat],
  ["--zap-encoder", "logFormat", logFormat],
];

/** Variables that are no flags. */
const variables: readonly SettingAlias[] = [
  { setting: "namespace", variable: "KUBERNETES_NAMESPACE" },
  { setting: "leaseNamespace", variable: "POD_NAMESPACE" },
  {
    setting: "reloader.metricsByNamespace",
    variable: "METRICS_COUNT_BY_NAMESPACE",
    value: (text) => text === "enabled",
  },
];

const files = "the files are tls.crt and tls.key";
const loggers = "logs are configured by --log-level and --log-format";

const ignored: readonly IgnoredFlag[] = [
  {
    flag: "--sync-after-restart",
    because: "changes that were made while the operator did not run are always found",
  },
  { flag: "--pprof-addr", placeholder: "ADDRESS", because: "profiles are served beside the metrics" },
  { flag: "--leader-election-release-on-cancel", because: "the Lease is always released" },
  { flag: "--metrics-cert-name", placeholder: "FILE", because: files },
  { flag: "--metrics-cert-key", placeholder: "FILE", because: files },
  { flag: "--webhook-cert-name", placeholder: "FILE", because: files },
  { flag: "--webhook-cert-key", placeholder: "FILE", because: files },
  { flag: "--enable-http2", because: "clients choose the version of HTTP" },
  { flag: "--zap-devel", because: loggers },
  { flag: "--zap-stacktrace-level", placeholder: "LEVEL", because: loggers },
  { flag: "--zap-time-encoding", placeholder: "ENCODING", because: loggers },
];

/** The flags, variables and ports of upstream, with the meaning that they have there. */
export const upstream: ReplacedProgram = {
  name: "stakater/Reloader",
  aliases: [
    ...sameFlags.map((flag) => ({ setting: `reloader.${camelCase(flag)}`, variable: variableOf(flag) })),
    ...otherFlags.map(([flag, setting, value]) => ({
      ...{ setting, flag, variable: variableOf(flag) },
      ...(value !== undefined && { value }),
    })),
    ...variables,
  ],
  ignored,
  // Upstream serves /metrics and /live there, and measures how long its requests take.
  defaults: { metricsPort: "9090", healthPort: "9090", metricsDetails: "true" },
};

function camelCase(flag: string): string {
  return flag.replaceAll(/-(.)/g, (_, letter: string) => letter.toUpperCase());
}

function variableOf(flag: string): string {
  return flag.replace(/^--/, "").replaceAll("-", "_").toUpperCase();
}

/** The texts of booleans that Go reads. */
function boolean(text: string): unknown {
  return parseBoolean(text) ?? text;
}

function unlessEmpty(text: string): string | undefined {
  return text === "" ? undefined : text;
}

/** Without an item, text that is not empty is left for the setting to refuse: it is no reason to work in all namespaces. */
function items(text: string): unknown {
  if (text === "") return undefined;
  const fields = csvFields(text)?.map((field) => field.trim()) ?? [];
  const named = fields.filter((field) => field !== "");
  return named.length === 0 ? text : named;
}

/** The port of an address on which all interfaces are meant, such as `:9090`; `0` stands for none. */
function port(text: string): string {
  if (text === "0") return "-1";
  return /^(?:0\.0\.0\.0|\[::\])?:(\d+)$/.exec(text)?.[1] ?? text;
}

const levels: ReadonlyMap<string, string> = new Map([
  ["trace", "debug"],
  ["warning", "warn"],
  ["fatal", "error"],
  ["panic", "error"],
  ["dpanic", "error"],
]);

/** The nearest of the levels here. Numbers are more and more detailed. */
function logLevel(text: string): string {
  const level = text.toLowerCase();
  return /^[1-9]\d*$/.test(level) ? "debug" : (levels.get(level) ?? level);
}

function logFormat(text: string): string | undefined {
  if (text === "") return undefined;
  return text === "console" || text === "text" ? "pretty" : text;
}
