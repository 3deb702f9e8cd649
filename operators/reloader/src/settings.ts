import { z } from "keelson";
import { dnsLabelProblem, dnsSubdomainProblem, isKnownTimeZone } from "keelson/low-level";
import { type AnnotationKeys, annotationKeys, defaultPrefix } from "./api/annotation-keys.ts";
import type { RestartWindow } from "./decision/reload-policy.ts";
import { annotationName, hiddenUrl, list, selector, timeMs, toggle } from "./settings/setting-types.ts";
import { windowProblems } from "./timing/restart-window.ts";
import { type WorkloadKindName, workloadKindNames } from "./workload/workload-kind.ts";

const count = z.int().min(0).meta({ placeholder: "NUMBER" });

/** Longer ones leave no room for what is written before them, such as `secretproviderclasses.exclude.`. */
const longestPrefix = 200;

/**
 * The settings of the operator, by flag, variable and file; see the README. Upstream's flags have the same names where they
 * can; `upstreamAliases` has the others. Times are milliseconds.
 */
export const settings = z
  .object({
    autoReloadAll: toggle()
      .default(false)
      .describe("reload every workload for the resources that it references, unless it opts out"),
    reloadStrategy: z
      .enum(["env-vars", "annotations"])
      .default("env-vars")
      .describe("how a pod template is changed"),
    rolloutStrategy: z
      .enum(["rollout", "restart"])
      .default("rollout")
      .describe("rollout changes the pod template; restart evicts the pods, or sets restartAt of a Rollout"),
    reloadOnCreate: toggle().default(false).describe("reload when a resource that counts is created"),
    reloadOnDelete: toggle().default(false).describe("reload when a resource that counts is deleted"),
    mode: z
      .enum(["reload", "notify"])
      .default("reload")
      .describe("notify reports changes by Events and alerts, and leaves the workloads as they are"),

    argoRollouts: toggle()
      .default(true)
      .describe("reload Rollouts of Argo, as soon as the API server serves them"),
    csi: toggle()
      .default(true)
      .describe("watch what the Secrets Store CSI driver mounts, as soon as the API server serves it"),
    openshift: toggle()
      .default(true)
      .describe("reload DeploymentConfigs of OpenShift, if the API server serves them"),

    namespacesToIgnore: list(
      (name) => (dnsLabelProblem(name) === undefined ? name : undefined),
      "write names of namespaces",
    )
      .meta({ placeholder: "NAMESPACE" })
      .describe("leave out these namespaces; has no effect beside --namespace"),
    namespaceSelector: selector().describe(
      "only namespaces with these labels; has no effect beside --namespace",
    ),
    resourceLabelSelector: selector().describe("only Secrets and ConfigMaps with these labels"),
    resourcesToIgnore: list(ignoredResource, "write configmaps or secrets")
      .refine((kinds) => kinds.length < 2, "write configmaps or secrets, not both: nothing would be watched")
      .meta({ placeholder: "configmaps|secrets" })
      .describe("do not watch this kind"),
    ignoredWorkloadTypes: list(
      workloadType,
      `write some of ${workloadKindNames.map((kind) => `${kind.toLowerCase()}s`).join(", ")}`,
    )
      .meta({ placeholder: "KIND" })
      .describe("never reload workloads of this kind, such as jobs or cronjobs"),

    coalesceWindow: timeMs("1s").describe("changes within this time become one reload"),
    defaultPausePeriod: timeMs("0s").describe(
      "after a reload, further changes of the workload wait this long, unless it has a period of its own; 0 for none",
    ),
    maxReloadsPerMinute: count
      .default(0)
      .describe("how many workloads are reloaded per minute; 0 for no limit"),
    maxReloadsPerMinutePerNamespace: count
      .default(0)
      .describe("the same for each namespace by itself; 0 for no limit"),
    circuitBreakerReloads: count
      .default(30)
      .describe("a workload that is reloaded this often within the window is paused; 0 for never"),
    circuitBreakerWindow: timeMs("10m").describe("the window of --circuit-breaker-reloads"),
    windowSchedule: z
      .string()
      .refine((schedule) => windowProblems({ schedule, duration: "1h" }, 0).length === 0, {
        error: "write a schedule of cron that names times, such as 0 2 * * *, or @daily",
      })
      .meta({ placeholder: "SCHEDULE" })
      .optional()
      .describe(
        "when the restart window opens: changes outside of it wait, unless the workload or its ReloaderConfig has a window of its own",
      ),
    windowDuration: timeMs("1h").describe("how long the restart window is open"),
    windowTimeZone: z
      .string()
      .refine(isKnownTimeZone, { error: "write a time zone such as Europe/Berlin" })
      .meta({ placeholder: "ZONE" })
      .default("Etc/UTC")
      .describe("the time zone of --window-schedule"),

    webhookUrl: hiddenUrl().describe(
      "instead of reloading, POST each change to this URL, with the workloads that it is for",
    ),
    alertOnReload: toggle()
      .optional()
      .describe("send alerts to --alert-webhook-url; default: if that is set"),
    alertSink: z
      .preprocess(sinkName, z.enum(["slack", "teams", "teams-workflow", "gchat", "webhook"]))
      .default("webhook")
      .describe("what receives the alerts, and so their format"),
    alertWebhookUrl: hiddenUrl().describe("where alerts of all reloads are sent"),
    alertWebhookProxy: hiddenUrl().describe("the HTTP proxy for all alerts"),
    alertAdditionalInfo: z.string().optional().describe("text that every alert begins with"),
    alertStructured: toggle().default(false).describe("with --alert-sink webhook: send JSON instead of text"),
    alertTimeout: timeMs("10s").describe("how long the receiver of an alert may take to respond"),
    alertAttempts: z
      .int()
      .min(1)
      .default(5)
      .describe("how often an alert is sent until the receiver accepts it"),
    allowPrivateAlertAddresses: toggle()
      .default(false)
      .describe("let alerts of ReloaderConfigs be sent to private and link-local addresses"),
    allowHttpAlerts: toggle()
      .default(false)
      .describe("let alerts of ReloaderConfigs be sent without TLS, to http URLs"),
    metricsByNamespace: toggle()
      .default(false)
      .describe("also count reloads by namespace, in reloader_reload_executed_total_by_namespace"),
    recordHashOnResources: toggle()
      .default(false)
      .describe("write the hash of its content to every Secret and ConfigMap that counts"),

    annotationPrefix: z
      .string()
      .max(longestPrefix)
      .refine((text) => dnsSubdomainProblem(text) === undefined, {
        error: "write a domain such as example.com",
      })
      .meta({ placeholder: "DOMAIN" })
      .default(defaultPrefix)
      .describe("what all annotations begin with, except those that are named here"),
    autoAnnotation: annotationName().describe("the annotation auto"),
    configmapAutoAnnotation: annotationName().describe("the annotation auto for ConfigMaps"),
    secretAutoAnnotation: annotationName().describe("the annotation auto for Secrets"),
    secretproviderclassAutoAnnotation: annotationName().describe(
      "the annotation auto for SecretProviderClasses",
    ),
    configmapAnnotation: annotationName().describe("the annotation that names ConfigMaps"),
    secretAnnotation: annotationName().describe("the annotation that names Secrets"),
    secretproviderclassAnnotation: annotationName().describe(
      "the annotation that names SecretProviderClasses",
    ),
    configmapExcludeAnnotation: annotationName().describe("the annotation that leaves out ConfigMaps"),
    secretExcludeAnnotation: annotationName().describe("the annotation that leaves out Secrets"),
    secretproviderclassExcludeAnnotation: annotationName().describe(
      "the annotation that leaves out SecretProviderClasses",
    ),
    autoSearchAnnotation: annotationName().describe("the annotation search"),
    searchMatchAnnotation: annotationName().describe("the annotation match"),
    ignoreAnnotation: annotationName().describe("the annotation ignore"),
    pauseDeploymentAnnotation: annotationName().describe("the annotation pause-period of Deployments"),
    pauseDeploymentTimeAnnotation: annotationName().describe("the annotation paused-at of Deployments"),
  })
  .refine(({ alertOnReload, alertWebhookUrl }) => alertOnReload !== true || alertWebhookUrl !== undefined, {
    path: ["alertWebhookUrl"],
    error: "must be set for --alert-on-reload",
  })
  .refine(({ windowSchedule, windowDuration }) => windowSchedule === undefined || windowDuration >= 1000, {
    path: ["windowDuration"],
    error: "write a time of at least 1s",
  });

/** The settings with their defaults. Times are milliseconds. */
export type ReloaderSettings = Readonly<z.output<typeof settings>>;

/** The names of the annotations that the settings choose. */
export function annotationKeysOf(chosen: ReloaderSettings): AnnotationKeys {
  const keys = annotationKeys(chosen.annotationPrefix);
  return {
    ...keys,
    auto: chosen.autoAnnotation ?? keys.auto,
    typedAuto: {
      ConfigMap: chosen.configmapAutoAnnotation ?? keys.typedAuto.ConfigMap,
      Secret: chosen.secretAutoAnnotation ?? keys.typedAuto.Secret,
      SecretProviderClass: chosen.secretproviderclassAutoAnnotation ?? keys.typedAuto.SecretProviderClass,
    },
    named: {
      ConfigMap: chosen.configmapAnnotation ?? keys.named.ConfigMap,
      Secret: chosen.secretAnnotation ?? keys.named.Secret,
      SecretProviderClass: chosen.secretproviderclassAnnotation ?? keys.named.SecretProviderClass,
    },
    excluded: {
      ConfigMap: chosen.configmapExcludeAnnotation ?? keys.excluded.ConfigMap,
      Secret: chosen.secretExcludeAnnotation ?? keys.excluded.Secret,
      SecretProviderClass: chosen.secretproviderclassExcludeAnnotation ?? keys.excluded.SecretProviderClass,
    },
    search: chosen.autoSearchAnnotation ?? keys.search,
    match: chosen.searchMatchAnnotation ?? keys.match,
    ignore: chosen.ignoreAnnotation ?? keys.ignore,
    pausePeriod: (kind) =>
      (kind === "Deployment" ? chosen.pauseDeploymentAnnotation : undefined) ?? keys.pausePeriod(kind),
    pausedAt: chosen.pauseDeploymentTimeAnnotation ?? keys.pausedAt,
  };
}

/** The restart windows of workloads that have none of their own. Empty: at any time. */
export function windowsOf(
  chosen: Pick<ReloaderSettings, "windowSchedule" | "windowDuration" | "windowTimeZone">,
): readonly RestartWindow[] {
  const { windowSchedule: schedule, windowDuration, windowTimeZone: timeZone } = chosen;
  return schedule === undefined ? [] : [{ schedule, duration: `${windowDuration}ms`, timeZone }];
}

function ignoredResource(text: string): "ConfigMap" | "Secret" | undefined {
  const name = text.toLowerCase();
  if (name === "configmaps") return "ConfigMap";
  return name === "secrets" ? "Secret" : undefined;
}

function workloadType(text: string): WorkloadKindName | undefined {
  const name = text.toLowerCase();
  return workloadKindNames.find((kind) => [kind.toLowerCase(), `${kind.toLowerCase()}s`].includes(name));
}

/** In any case; `raw` is what upstream calls a webhook of any other kind. */
function sinkName(given: unknown): unknown {
  const name = typeof given === "string" ? given.toLowerCase() : given;
  return name === "raw" ? "webhook" : name;
}
