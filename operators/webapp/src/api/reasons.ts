/** The conditions of a WebApp. */
export const conditionTypes = {
  /** Enough pods are available to serve, as its Deployment judges it. */
  available: "Available",
  /** It is on its way to what is wanted, or there. False: it is stuck or blocked. */
  progressing: "Progressing",
  /** Something is wrong that will not mend itself. */
  degraded: "Degraded",
} as const;

/** Why a condition is as it is. Where a Deployment has a word for it, that word. */
export const reasons = {
  /** Enough pods are available. */
  minimumReplicasAvailable: "MinimumReplicasAvailable",
  /** Fewer pods are available than are needed to serve. */
  minimumReplicasUnavailable: "MinimumReplicasUnavailable",
  /** All pods are of the current template and available. */
  newReplicaSetAvailable: "NewReplicaSetAvailable",
  /** Pods of the current template are being started. */
  replicaSetUpdated: "ReplicaSetUpdated",
  /** What is wanted has been applied, and nobody has acted on it yet. */
  reconciling: "Reconciling",
  /** The rollout has made no progress for longer than its deadline. */
  progressDeadlineExceeded: "ProgressDeadlineExceeded",
  /** The rollout is paused, by somebody else. */
  deploymentPaused: "DeploymentPaused",
  /** Pods cannot be created, such as for want of quota. */
  replicaFailure: "ReplicaFailure",
  /** An object that is to be the WebApp's own is somebody else's. */
  nameTaken: "NameTaken",
  /** An object that is to be the WebApp's own is being deleted, and comes back when it is gone. */
  waitingForDeletion: "WaitingForDeletion",
  /** The API server refused an object. */
  applyFailed: "ApplyFailed",
  /** The WebApp is being deleted. */
  deleting: "Deleting",
  /** Nothing is wrong. */
  asExpected: "AsExpected",
} as const;

export type Reason = (typeof reasons)[keyof typeof reasons];

/** What users read in `kubectl describe`. */
export const eventReasons = {
  /** An object of the WebApp was not there and has been made. */
  created: "Created",
  /** An object of the WebApp follows a change of the WebApp. */
  updated: "Updated",
  /** Only the number of pods follows a change of the WebApp. */
  scaled: "Scaled",
  /** Somebody changed what is the WebApp's to say; it is as before. */
  healed: "Healed",
  /** An object is no longer wanted and has been deleted. */
  removed: "Removed",
  /** All pods are available. */
  ready: "Ready",
} as const;

export type EventReason = (typeof eventReasons)[keyof typeof eventReasons];
