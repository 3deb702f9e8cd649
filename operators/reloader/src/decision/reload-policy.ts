/** How the pod template is changed, or that it is not. */
export type Strategy = "env-vars" | "annotations" | "restart";

/** A repeated period in which workloads may be reloaded. */
export interface RestartWindow {
  /** When it opens, in the syntax of cron. */
  readonly schedule: string;
  /** How long it is open, such as `2h`. */
  readonly duration: string;
  /** Default `Etc/UTC`. */
  readonly timeZone?: string;
}

/** What holds for the reload of one workload, made of its annotations, the matching targets and the settings. */
export interface ReloadPolicy {
  /** `notify` reports changes and leaves the workload as it is. */
  readonly mode: "reload" | "notify";
  readonly strategy: Strategy;
  /** After a reload, further changes wait this long. */
  readonly pausePeriodMs: number | undefined;
  /** Upstream's pause of a Deployment: changes are collected while it is paused, and rolled out together. */
  readonly accumulatePeriodMs: number | undefined;
  /** A reload waits until one of them is open. Empty: at any time. */
  readonly windows: readonly RestartWindow[];
  /** What is wrong with annotations of the workload, each saying what to write instead. */
  readonly problems: readonly string[];
}
