import { parseDurationMs } from "keelson";
import type { AnnotationKeys } from "../api/annotation-keys.ts";
import { type ReloaderSettings, windowsOf } from "../settings.ts";
import { windowProblems } from "../timing/restart-window.ts";
import { workloadKindNames } from "../workload/workload-kind.ts";
import type { Match, MatchOrigin } from "./match.ts";
import type { ReloadPolicy, RestartWindow } from "./reload-policy.ts";
import { type AnnotatedWorkload, annotationOf } from "./workload-annotations.ts";

/** The settings for workloads that say nothing else. */
type PolicySettings = Pick<
  ReloaderSettings,
  | "mode"
  | "reloadStrategy"
  | "rolloutStrategy"
  | "defaultPausePeriod"
  | "windowSchedule"
  | "windowDuration"
  | "windowTimeZone"
>;

/** What a policy is made of, beside the annotations of the workload. */
export interface PolicyFacts {
  /** Those of the resources that changed. */
  readonly matches: readonly Match[];
  readonly settings: PolicySettings;
  readonly keys: AnnotationKeys;
  /** The time at which a schedule must still be due. */
  readonly nowMs: number;
}

type ConfigOrigin = Extract<MatchOrigin, { type: "config" }>;

/** What holds for a reload, of its annotations, the targets that matched, and the settings. */
export function policyOf(workload: AnnotatedWorkload, facts: PolicyFacts): ReloadPolicy {
  const { matches, settings, keys } = facts;
  const annotations = new PolicyAnnotations(workload, keys);
  const origins = matches.map(({ origin }) => origin);
  const configs = configOrigins(origins);
  const rollout =
    firstOf(configs, ({ config, target }) => target.rolloutStrategy ?? config.spec.rolloutStrategy) ??
    annotations.choice(keys.rolloutStrategy, ["rollout", "restart"]) ??
    settings.rolloutStrategy;
  const reload =
    firstOf(configs, ({ config, target }) => target.reloadStrategy ?? config.spec.reloadStrategy) ??
    annotations.choice(keys.reloadStrategy, ["env-vars", "annotations"]) ??
    settings.reloadStrategy;
  const pause = annotations.pausePeriod();
  // The reload of a CronJob reads it; here its value is checked.
  annotations.choice(keys.cronJobPolicy, ["patch", "run-now"]);
  return {
    mode: annotations.choice(keys.mode, ["reload", "notify"]) ?? modeOf(origins, settings),
    strategy: rollout === "restart" ? "restart" : reload,
    pausePeriodMs: pause === undefined ? pausePeriodOf(configs, settings) : pause.pausePeriodMs,
    accumulatePeriodMs: pause?.accumulatePeriodMs,
    windows: annotations.windows(facts) ?? mergedWindows(origins, settings),
    problems: annotations.problems,
  };
}

/** Whether the workload is reloaded when the resource of this match is created. */
export function reloadsOnCreate(
  { origin }: Match,
  settings: Pick<ReloaderSettings, "reloadOnCreate">,
): boolean {
  return settings.reloadOnCreate || (origin.type === "config" && origin.config.spec.reloadOnCreate);
}

/** Whether the workload is reloaded when the resource of this match is deleted. */
export function reloadsOnDelete(
  { origin }: Match,
  settings: Pick<ReloaderSettings, "reloadOnDelete">,
): boolean {
  return settings.reloadOnDelete || (origin.type === "config" && origin.config.spec.reloadOnDelete);
}

/** Reads annotations of a workload and collects what is wrong with them. */
class PolicyAnnotations {
  readonly #workload: AnnotatedWorkload;
  readonly #keys: AnnotationKeys;
  readonly #problems: string[] = [];

  constructor(workload: AnnotatedWorkload, keys: AnnotationKeys) {
    this.#workload = workload;
    this.#keys = keys;
  }

  get problems(): readonly string[] {
    return this.#problems;
  }

  /** One of the choices; undefined if the annotation is absent, or has another value, which is a problem. */
  choice<Choice extends string>(key: string, choices: readonly Choice[]): Choice | undefined {
    const value = this.#valueOf(key);
    if (value === undefined) return undefined;
    const chosen = choices.find((choice) => choice === value);
    if (chosen === undefined) this.#report(key, value, `write ${choices.join(" or ")}`);
    return chosen;
  }

  /** On a Deployment it is upstream's, which collects changes; on the other kinds it delays them. */
  pausePeriod(): Pick<ReloadPolicy, "pausePeriodMs" | "accumulatePeriodMs"> | undefined {
    const { kind, aliases } = this.#workload;
    const own = this.#keys.pausePeriod(kind);
    const aliasKeys = aliases.map((alias) => this.#keys.pausePeriod(alias.kind));
    for (const other of workloadKindNames) {
      const key = this.#keys.pausePeriod(other);
      const value = this.#valueOf(key);
      if (value !== undefined && key !== own && !aliasKeys.includes(key))
        this.#report(key, value, `this is a ${kind}: write ${own}`);
    }
    const ownMs = this.#duration(own);
    if (ownMs !== undefined)
      return kind === "Deployment"
        ? { pausePeriodMs: undefined, accumulatePeriodMs: ownMs || undefined }
        : { pausePeriodMs: ownMs || undefined, accumulatePeriodMs: undefined };
    const aliasMs = firstOf(aliasKeys, (key) => (key === own ? undefined : this.#duration(key)));
    return aliasMs === undefined
      ? undefined
      : { pausePeriodMs: aliasMs || undefined, accumulatePeriodMs: undefined };
  }

  /**
   * The window of the annotations; undefined if there is none. One with problems is kept and never opens, so that a typing
   * error does not restart pods at a forbidden time.
   */
  windows({ settings, nowMs }: PolicyFacts): readonly RestartWindow[] | undefined {
    const { windowSchedule, windowDuration, windowTimeZone } = this.#keys;
    const schedule = this.#valueOf(windowSchedule);
    const duration = this.#valueOf(windowDuration);
    const timeZone = this.#valueOf(windowTimeZone);
    if (schedule === undefined && duration === undefined && timeZone === undefined) return undefined;
    if (schedule === undefined)
      this.#problems.push(
        `annotation ${windowSchedule} is missing beside ${duration === undefined ? windowTimeZone : windowDuration}; ` +
          "write when the window opens, such as 0 2 * * *",
      );
    const window = {
      schedule: schedule ?? "",
      duration: duration ?? `${settings.windowDuration}ms`,
      ...(timeZone !== undefined && { timeZone }),
    };
    const keyOf = { schedule: windowSchedule, duration: windowDuration, timeZone: windowTimeZone };
    for (const { field, message } of windowProblems(window, nowMs))
      if (field !== "schedule" || schedule !== undefined)
        this.#problems.push(`annotation ${keyOf[field]}: ${message}`);
    return [window];
  }

  #duration(key: string): number | undefined {
    const value = this.#valueOf(key);
    if (value === undefined) return undefined;
    const ms = parseDurationMs(value);
    if (ms !== undefined && ms >= 0) return ms;
    this.#report(key, value, "write a time with its unit, such as 30s, 5m or 1h30m");
    return undefined;
  }

  #valueOf(key: string): string | undefined {
    return annotationOf(this.#workload, key);
  }

  #report(key: string, value: string, advice: string): void {
    this.#problems.push(`annotation ${key}: ${JSON.stringify(value)} has no effect; ${advice}`);
  }
}

/** In the order of namespace and name. */
function configOrigins(origins: readonly MatchOrigin[]): readonly ConfigOrigin[] {
  const key = ({ config }: ConfigOrigin) => `${config.metadata.namespace}/${config.metadata.name}`;
  return origins
    .filter((origin) => origin.type === "config")
    .toSorted((a, b) => (key(a) === key(b) ? 0 : key(a) < key(b) ? -1 : 1));
}

/** `notify` only if everything that the reload is for says so. */
function modeOf(origins: readonly MatchOrigin[], settings: PolicySettings): "reload" | "notify" {
  const isNotified = (origin: MatchOrigin) =>
    settings.mode === "notify" || (origin.type === "config" && origin.config.spec.mode === "notify");
  return origins.length > 0 && origins.every(isNotified) ? "notify" : "reload";
}

/** The longest one. */
function pausePeriodOf(configs: readonly ConfigOrigin[], settings: PolicySettings): number | undefined {
  const periods = configs.flatMap(({ target }) =>
    target.pausePeriod === undefined ? [] : [parseDurationMs(target.pausePeriod) ?? 0],
  );
  const longest = periods.length === 0 ? settings.defaultPausePeriod : Math.max(...periods);
  return longest > 0 ? longest : undefined;
}

/** All windows together, unless something that the reload is for may be reloaded at any time. */
function mergedWindows(origins: readonly MatchOrigin[], settings: PolicySettings): readonly RestartWindow[] {
  const byDefault = windowsOf(settings);
  const windows = origins.map((origin) => {
    const own = origin.type === "config" ? (origin.config.spec.windows ?? []) : [];
    return own.length > 0 ? own : byDefault;
  });
  if (windows.length === 0 || windows.some((own) => own.length === 0)) return [];
  const byText = new Map(windows.flat().map((window) => [JSON.stringify(window), window]));
  return [...byText.values()];
}

function firstOf<Item, Value>(
  items: readonly Item[],
  read: (item: Item) => Value | undefined,
): Value | undefined {
  for (const item of items) {
    const value = read(item);
    if (value !== undefined) return value;
  }
  return undefined;
}
