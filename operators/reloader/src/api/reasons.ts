/** The conditions of a ReloaderConfig. */
export const ConditionType = {
  /** Every target exists, and the spec can work: changes are watched and reload the targets. */
  Available: "Available",
  /** Changes wait to be reloaded, or a target is being restarted. */
  Progressing: "Progressing",
  /** A problem keeps the ReloaderConfig from doing all that its spec says. */
  Degraded: "Degraded",
} as const;

/** Why a condition of a ReloaderConfig has its status. */
export const Reason = {
  /** There is no problem, and nothing waits. */
  Reconciled: "Reconciled",
  /** The annotation `ignore` of the ReloaderConfig is true: it reloads nothing. */
  Ignored: "Ignored",
  /** The spec has no target, or watches nothing. */
  NothingToDo: "NothingToDo",
  /** The spec has a value that the schema accepts and that cannot work. */
  InvalidSpec: "InvalidSpec",
  /** The last reload of a target failed. The operator retries. */
  ReloadFailed: "ReloadFailed",
  /** A target was reloaded too often within a short time, and changes wait. */
  CircuitOpen: "CircuitOpen",
  /** A target does not exist. It is picked up when it is created. */
  TargetNotFound: "TargetNotFound",
  /** The cluster does not serve the kind of a target. It is picked up when its CustomResourceDefinition is created. */
  KindNotServed: "KindNotServed",
  /** A target exists, and its kind, its annotations or the settings of the operator keep it from being reloaded. */
  TargetNotReloadable: "TargetNotReloadable",
  /** A watched resource does not exist. It is picked up when it is created. */
  ResourceNotFound: "ResourceNotFound",
  /** The settings of the operator leave out a watched resource, by its kind or its namespace. */
  ResourceNotWatched: "ResourceNotWatched",
  /** A restart window never opens. Without another one, changes wait until it is corrected. */
  InvalidWindow: "InvalidWindow",
  /** The URL of an alert channel cannot be read or is refused. The other channels are used. */
  AlertChannelUnresolved: "AlertChannelUnresolved",
  /** Changes wait for the end of a pause, for a restart window, or for the rate limit. */
  ReloadPending: "ReloadPending",
  /** The pods of a target are evicted one after the other. */
  Restarting: "Restarting",
} as const;

/** One of the reasons. */
export type Reason = (typeof Reason)[keyof typeof Reason];

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
  /** An alert could not be sent; on the ReloaderConfig whose channel it was for. */
  AlertFailed: "AlertFailed",
} as const;
