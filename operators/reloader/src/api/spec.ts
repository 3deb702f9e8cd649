import { type Immutable, labelSelector, rule, z } from "keelson";
import { workloadKindNames } from "../workload/workload-kind.ts";
import { alerts } from "./alerts.ts";
import { goDuration, namespaceName, objectName, requiredLabels } from "./fields.ts";

const reloadStrategy = z.enum(["env-vars", "annotations"]);
const rolloutStrategy = z.enum(["rollout", "restart"]);

const target = z.object({
  kind: z.enum(workloadKindNames).describe("The kind of the workload"),
  name: objectName.describe("The name of the workload"),
  namespace: namespaceName
    .exactOptional()
    .describe("The namespace of the workload; default: that of the ReloaderConfig"),
  reloadStrategy: reloadStrategy
    .exactOptional()
    .describe("How the pod template is changed; default: that of the ReloaderConfig"),
  rolloutStrategy: rolloutStrategy
    .exactOptional()
    .describe(
      "rollout changes the pod template, restart evicts the pods; default: that of the ReloaderConfig",
    ),
  pausePeriod: goDuration("0s")
    .exactOptional()
    .describe(
      "The least time between two reloads, such as 5m; changes in between are reloaded once, when it is over",
    ),
  requireReference: z
    .boolean()
    .default(false)
    .describe("With enableTargetedReload: reload only for resources that the pod template references"),
});

const targets = rule(z.array(target).max(256), {
  rule: [
    "self.all(one, self.exists_one(other, one.kind == other.kind && one.name == other.name",
    "&& has(one.__namespace__) == has(other.__namespace__) && (!has(one.__namespace__) || one.__namespace__ == other.__namespace__)))",
  ].join(" "),
  message: "must not name the same workload twice; remove one of the two targets",
});

const names = z.array(objectName).max(1024);

const watchedResources = z.object({
  secrets: names.exactOptional().describe("Names of Secrets in the namespace of the ReloaderConfig"),
  configMaps: names.exactOptional().describe("Names of ConfigMaps in the namespace of the ReloaderConfig"),
  secretProviderClasses: names
    .exactOptional()
    .describe("Names of SecretProviderClasses of the Secrets Store CSI driver"),
  enableTargetedReload: z
    .boolean()
    .default(false)
    .describe("Targets with requireReference are reloaded only for resources that they reference"),
  namespaceSelector: labelSelector()
    .exactOptional()
    .describe(
      "Resources of namespaces with these labels count as well; default: only those of the ReloaderConfig's namespace",
    ),
  resourceSelector: labelSelector()
    .exactOptional()
    .describe("Only resources with these labels count; without names and autoReloadAll, all that have them"),
});

const ignoredResource = z.object({
  kind: z.enum(["Secret", "ConfigMap", "SecretProviderClass"]),
  name: objectName,
  namespace: namespaceName.exactOptional().describe("Default: any namespace"),
});

const schedule = rule(
  rule(z.string().min(1).max(256), {
    rule: "self.matches('^(@(yearly|annually|monthly|weekly|daily|midnight|hourly)|[^ ]+( +[^ ]+){4})$')",
    message:
      "must be of five fields, such as 0 3 * * 6, or one of @yearly, @monthly, @weekly, @daily, @hourly",
  }),
  {
    rule: "!self.contains('TZ=')",
    message: "must not name a time zone; write it to the field timeZone",
  },
);

const restartWindow = z.object({
  schedule: schedule.describe("When the window opens, in the syntax of cron"),
  duration: goDuration("1s").describe("How long the window is open, such as 2h"),
  timeZone: rule(z.string().min(1).max(64), {
    rule: "self.matches('^[A-Za-z][-+_/A-Za-z0-9]*$') && self != 'Local'",
    message: "must be the name of a time zone, such as Europe/Berlin",
  })
    .exactOptional()
    .describe("The time zone of the schedule; default: Etc/UTC"),
});

export const spec = z.object({
  watchedResources: watchedResources.exactOptional().describe("The resources that are watched"),
  targets: targets.exactOptional().describe("The workloads that are reloaded"),
  reloadStrategy: reloadStrategy
    .exactOptional()
    .describe(
      "How the pod template is changed; default: that of the operator, which is env-vars unless it is set",
    ),
  rolloutStrategy: rolloutStrategy
    .exactOptional()
    .describe(
      "rollout changes the pod template, restart evicts the pods one after the other; default: rollout",
    ),
  autoReloadAll: z
    .boolean()
    .default(false)
    .describe("Each target is also reloaded for every resource that its pod template references"),
  reloadOnCreate: z.boolean().default(false).describe("Reload when a watched resource is created"),
  reloadOnDelete: z.boolean().default(false).describe("Reload when a watched resource is deleted"),
  ignoreResources: z.array(ignoredResource).max(1024).exactOptional().describe("Never reload for these"),
  matchLabels: requiredLabels.exactOptional().describe("Only resources with these labels count"),
  windows: z
    .array(restartWindow)
    .max(16)
    .exactOptional()
    .describe("A change outside of these periods waits until one begins; without any, no change waits"),
  mode: z
    .enum(["reload", "notify"])
    .default("reload")
    .describe("notify reports changes by Events and alerts and leaves the workloads as they are"),
  alerts: alerts.exactOptional().describe("Where reloads and failed reloads are reported"),
});

/** The spec of a ReloaderConfig, as it is stored: with defaults. */
export type ReloaderConfigSpec = Immutable<z.output<typeof spec>>;

/** The spec of a ReloaderConfig, as a user writes it: fields with a default are optional. */
export type ReloaderConfigSpecInput = Immutable<z.input<typeof spec>>;

/** A workload that a ReloaderConfig reloads. */
export type Target = NonNullable<ReloaderConfigSpec["targets"]>[number];

/** Where a ReloaderConfig reports reloads. */
export type Alerts = NonNullable<ReloaderConfigSpec["alerts"]>;
