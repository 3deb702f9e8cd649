import { duration, type Immutable, labelSelector, z } from "keelson";

const name = z.string().min(1).max(253);
const namespace = z.string().min(1).max(63);

const reloadStrategy = z.enum(["env-vars", "annotations"]);
const rolloutStrategy = z.enum(["rollout", "restart"]);

const target = z.object({
  kind: z
    .enum(["Deployment", "StatefulSet", "DaemonSet", "DeploymentConfig", "Rollout", "CronJob", "Job"])
    .describe("The kind of the workload"),
  name: name.describe("The name of the workload"),
  namespace: namespace.exactOptional().describe("Default: the namespace of the ReloaderConfig"),
  reloadStrategy: reloadStrategy.exactOptional().describe("Default: that of the ReloaderConfig"),
  rolloutStrategy: rolloutStrategy.exactOptional().describe("Default: that of the ReloaderConfig"),
  pausePeriod: duration().max(64).exactOptional().describe("Minimum time between two reloads of this target"),
  requireReference: z
    .boolean()
    .default(false)
    .describe("With enableTargetedReload: reload only for resources that the pod template references"),
});

const watchedResources = z.object({
  secrets: z.array(name).max(1024).exactOptional().describe("Names of Secrets"),
  configMaps: z.array(name).max(1024).exactOptional().describe("Names of ConfigMaps"),
  secretProviderClasses: z.array(name).max(1024).exactOptional().describe("Names of SecretProviderClasses"),
  enableTargetedReload: z.boolean().default(false).describe("See requireReference of the targets"),
  namespaceSelector: labelSelector()
    .exactOptional()
    .describe(
      "Resources of these namespaces count as well; default: those of the ReloaderConfig's namespace",
    ),
  resourceSelector: labelSelector()
    .exactOptional()
    .describe("Only resources with these labels count; without names, all that have them"),
});

const secretRef = z.object({
  name,
  key: z.string().min(1).max(253).default("url"),
  namespace: namespace.exactOptional().describe("Only the namespace of the ReloaderConfig is accepted"),
});

const channel = z.object({
  url: z.string().min(1).max(2048).exactOptional(),
  secretRef: secretRef.exactOptional(),
});

const alerts = z.object({
  slack: channel.exactOptional(),
  teams: channel
    .extend({ format: z.enum(["MessageCard", "AdaptiveCard"]).default("MessageCard") })
    .exactOptional(),
  googleChat: channel.exactOptional(),
  customWebhook: channel
    .extend({
      format: z.enum(["Slack", "JSON", "Template"]).default("Slack"),
      template: z.string().max(8192).exactOptional().describe("With format Template: the body"),
    })
    .exactOptional(),
});

const ignoredResource = z.object({
  kind: z.enum(["Secret", "ConfigMap", "SecretProviderClass"]),
  name,
  namespace: namespace.exactOptional().describe("Default: any namespace"),
});

const restartWindow = z.object({
  schedule: z.string().min(1).max(256).describe("When the window opens, in the syntax of cron"),
  duration: duration().max(64).describe("How long it is open, such as 2h"),
  timeZone: z.string().min(1).max(64).exactOptional().describe("Default: Etc/UTC"),
});

export const spec = z.object({
  watchedResources: watchedResources.exactOptional().describe("What is watched"),
  targets: z.array(target).max(256).exactOptional().describe("The workloads that are reloaded"),
  reloadStrategy: reloadStrategy
    .exactOptional()
    .describe("How the pod template is changed; default: env-vars"),
  rolloutStrategy: rolloutStrategy
    .exactOptional()
    .describe("rollout changes the pod template, restart evicts the pods; default: rollout"),
  autoReloadAll: z
    .boolean()
    .default(false)
    .describe("Each target is also reloaded for every resource that its pod template references"),
  reloadOnCreate: z.boolean().default(false).describe("Reload when a watched resource is created"),
  reloadOnDelete: z.boolean().default(false).describe("Reload when a watched resource is deleted"),
  ignoreResources: z.array(ignoredResource).max(1024).exactOptional().describe("Never reload for these"),
  matchLabels: z
    .record(z.string(), z.string())
    .exactOptional()
    .describe("Only resources with these labels count"),
  windows: z
    .array(restartWindow)
    .max(16)
    .exactOptional()
    .describe("A change outside of them waits until one opens"),
  mode: z
    .enum(["reload", "notify"])
    .default("reload")
    .describe("notify reports changes by Events and alerts and leaves the workloads as they are"),
  alerts: alerts.exactOptional().describe("Where reloads are reported"),
});

/** The spec of a ReloaderConfig, as it is stored: with defaults. */
export type ReloaderConfigSpec = Immutable<z.output<typeof spec>>;

/** The spec of a ReloaderConfig, as a user writes it: fields with a default are optional. */
export type ReloaderConfigSpecInput = Immutable<z.input<typeof spec>>;

/** A workload that a ReloaderConfig reloads. */
export type Target = NonNullable<ReloaderConfigSpec["targets"]>[number];

/** Where a ReloaderConfig reports reloads. */
export type Alerts = NonNullable<ReloaderConfigSpec["alerts"]>;
