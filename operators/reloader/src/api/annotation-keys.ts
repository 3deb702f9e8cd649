import type { WorkloadKindName } from "../workload/workload-kind.ts";

/** The prefix of all annotations, upstream's. */
export const defaultPrefix = "reloader.stakater.com";

/** The names of the annotations that users set and that the operator writes. Settings may rename them. */
export interface AnnotationKeys {
  /** Reload for every referenced resource. */
  readonly auto: string;
  readonly typedAuto: Readonly<Record<TypedKey, string>>;
  /** Comma-separated patterns of names. */
  readonly named: Readonly<Record<TypedKey, string>>;
  /** Comma-separated names that are left out. */
  readonly excluded: Readonly<Record<TypedKey, string>>;
  /** On a workload: reload for referenced resources that have `match`. */
  readonly search: string;
  /** On a resource. */
  readonly match: string;
  /** On a resource, a workload or a ReloaderConfig. */
  readonly ignore: string;
  /** `rollout` or `restart`. */
  readonly rolloutStrategy: string;
  /** `env-vars` or `annotations`. */
  readonly reloadStrategy: string;
  /** By kind: `deployment.reloader.stakater.com/pause-period`. */
  readonly pausePeriod: (kind: WorkloadKindName) => string;
  /** Marks a Deployment that the operator has paused. */
  readonly pausedAt: string;
  /** `reload` or `notify`. */
  readonly mode: string;
  readonly windowSchedule: string;
  readonly windowDuration: string;
  readonly windowTimeZone: string;
  /** On a CronJob: `patch` or `run-now`. */
  readonly cronJobPolicy: string;
  /** On a Job: `recreate`. */
  readonly jobPolicy: string;
  /** On a pod template: upstream's JSON about the last reload. */
  readonly lastReloadedFrom: string;
  /** On a pod template: the time of the last reload. */
  readonly lastReload: string;
  /** On a pod template: the hash of what the last reload was for. */
  readonly resourceHash: string;
  /** On a Secret or ConfigMap, if the operator records hashes there. */
  readonly lastHash: string;
}

/** The kinds of resources, as the annotations name them. */
export type TypedKey = "ConfigMap" | "Secret" | "SecretProviderClass";

/** The names under one prefix, which are upstream's where upstream has them. */
export function annotationKeys(prefix: string = defaultPrefix): AnnotationKeys {
  const typed = (name: (type: string) => string): Readonly<Record<TypedKey, string>> => ({
    ConfigMap: name("configmap"),
    Secret: name("secret"),
    SecretProviderClass: name("secretproviderclass"),
  });
  return {
    auto: `${prefix}/auto`,
    typedAuto: typed((type) => `${type}.${prefix}/auto`),
    named: typed((type) => `${type}.${prefix}/reload`),
    excluded: {
      ConfigMap: `configmaps.exclude.${prefix}/reload`,
      Secret: `secrets.exclude.${prefix}/reload`,
      SecretProviderClass: `secretproviderclasses.exclude.${prefix}/reload`,
    },
    search: `${prefix}/search`,
    match: `${prefix}/match`,
    ignore: `${prefix}/ignore`,
    rolloutStrategy: `${prefix}/rollout-strategy`,
    reloadStrategy: `${prefix}/reload-strategy`,
    pausePeriod: (kind) => `${kind.toLowerCase()}.${prefix}/pause-period`,
    pausedAt: `deployment.${prefix}/paused-at`,
    mode: `${prefix}/mode`,
    windowSchedule: `${prefix}/window-schedule`,
    windowDuration: `${prefix}/window-duration`,
    windowTimeZone: `${prefix}/window-time-zone`,
    cronJobPolicy: `${prefix}/cronjob-policy`,
    jobPolicy: `${prefix}/job-policy`,
    lastReloadedFrom: `${prefix}/last-reloaded-from`,
    lastReload: `${prefix}/last-reload`,
    resourceHash: `${prefix}/resource-hash`,
    lastHash: `${prefix}/last-hash`,
  };
}
