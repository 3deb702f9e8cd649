/** The conditions of a WebApp. */
export const conditionTypes = {
  /** Enough pods are available to serve, as its Deployment judges it. */
  available: "Available",
  /** It is in the desired state, or makes progress towards it. False: it is stuck or blocked. */
  progressing: "Progressing",
  /** A problem exists that a user or an administrator has to solve. */
  degraded: "Degraded",
} as const;

/** Why a condition has its status. Deployments use the same words where they have them. */
export const reasons = {
  /** Enough pods are available. */
  minimumReplicasAvailable: "MinimumReplicasAvailable",
  /** Fewer pods are available than are needed to serve. */
  minimumReplicasUnavailable: "MinimumReplicasUnavailable",
  /** All pods are of the current template and available. */
  newReplicaSetAvailable: "NewReplicaSetAvailable",
  /** Pods of the current template are being started. */
  replicaSetUpdated: "ReplicaSetUpdated",
  /** The desired objects have been applied, and their controllers have not observed them yet. */
  reconciling: "Reconciling",
  /** The rollout has made no progress for longer than its deadline. */
  progressDeadlineExceeded: "ProgressDeadlineExceeded",
  /** A user has paused the rollout. */
  deploymentPaused: "DeploymentPaused",
  /** Pods cannot be created, such as because of a quota. */
  replicaFailure: "ReplicaFailure",
  /** A foreign object has the name of an object that the WebApp needs. */
  nameTaken: "NameTaken",
  /** An object with the name of an object that the WebApp needs is being deleted; then it is created again. */
  waitingForDeletion: "WaitingForDeletion",
  /** The API server refused an object. */
  applyFailed: "ApplyFailed",
  /** The WebApp is being deleted. */
  deleting: "Deleting",
  /** No problem exists. */
  asExpected: "AsExpected",
} as const;

export type Reason = (typeof reasons)[keyof typeof reasons];

/** Reasons of Events, which `kubectl describe` shows. */
export const eventReasons = {
  /** An owned object did not exist and has been created. */
  created: "Created",
  /** An owned object has been updated after a change of the WebApp. */
  updated: "Updated",
  /** Only the number of pods has been updated after a change of the WebApp. */
  scaled: "Scaled",
  /** Another writer changed an owned object, and the drift has been corrected. */
  healed: "Healed",
  /** An owned object was no longer desired and has been deleted. */
  removed: "Removed",
  /** All pods are available. */
  ready: "Ready",
} as const;

export type EventReason = (typeof eventReasons)[keyof typeof eventReasons];
