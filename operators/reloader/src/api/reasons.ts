/** The reasons of Events on workloads and on the ReloaderConfigs that target them. */
export const EventReason = {
  /** The workload was reloaded. */
  Reloaded: "Reloaded",
  /** The workload could not be reloaded; the operator retries. */
  ReloadFail: "ReloadFail",
  /** Changes wait for the end of the pause period. */
  ReloadPaused: "ReloadPaused",
  /** Changes wait for a restart window. */
  ReloadWaiting: "ReloadWaiting",
  /** Changes wait for a restart window that never opens. */
  WindowNeverOpens: "WindowNeverOpens",
  /** The workload was reloaded too often; changes wait. */
  CircuitOpened: "CircuitOpened",
  /** The workload may be reloaded again. */
  CircuitClosed: "CircuitClosed",
  /** A resource changed, and by the mode `notify` the workload is left as it is. */
  ChangeNotified: "ChangeNotified",
  /** An annotation of the workload cannot be used. */
  InvalidAnnotation: "InvalidAnnotation",
  /** The rollout of a Deployment was paused, to collect changes. */
  RolloutPaused: "RolloutPaused",
  /** The collected changes of a Deployment are rolled out. */
  RolloutResumed: "RolloutResumed",
} as const;
