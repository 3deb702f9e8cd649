/** The conditions of a SharedSecret. */
export const ConditionType = {
  /** The policy lets the secret be shared, with the rotation period of the spec. */
  Approved: "Approved",
  /** What the policy says is known, verified and current, and what belongs to the SharedSecret is as it says. */
  Synced: "Synced",
  /** All approved read-only consumers were started with the current value. */
  ConsumersRestarted: "ConsumersRestarted",
  /** The value is rotated as the spec says. */
  Rotated: "Rotated",
} as const;

/** Why a condition of a SharedSecret has its status. The reasons of a policy that is not known are those of PolicyProblem. */
export const Reason = {
  /** The policy approves. */
  Approved: "Approved",
  /** A person has to approve first. */
  AwaitingApproval: "AwaitingApproval",
  /** The secret is shared; another rotation period awaits approval. */
  PeriodAwaitsApproval: "PeriodAwaitsApproval",
  /** The decisions of the policy were read. */
  Verified: "Verified",
  /** A foreign object has the name of the Secret. */
  NameTaken: "NameTaken",
  /** The API server refuses something; the operator retries. */
  Retrying: "Retrying",
  /** The consumers have the current value. */
  UpToDate: "UpToDate",
  /** Consumers are being restarted. */
  Restarting: "Restarting",
  /** Some consumers cannot be restarted now; the operator retries. */
  RestartFailed: "RestartFailed",
  /** The value was rotated in time. */
  Rotated: "Rotated",
  /** The first rotation is due. */
  RotationDue: "RotationDue",
  /** The spec has no rotator, or no period. */
  NotRotated: "NotRotated",
  /** A rotation is due and waits until all consumers have the current value. */
  WaitingForConsumers: "WaitingForConsumers",
  /** The last attempt to rotate failed; the operator retries. */
  RotationFailed: "RotationFailed",
  /** There is no rotator of that name. */
  UnknownRotator: "UnknownRotator",
} as const;

/** The reasons of Events. */
export const EventReason = {
  /** A request waits for a decision; the message shows how to approve it. */
  AccessRequested: "AccessRequested",
  /** The policy approved a consumer, or the secret itself. */
  AccessApproved: "AccessApproved",
  /** A consumer lost its access. */
  AccessRevoked: "AccessRevoked",
  /** A restart of the read-only consumers began. */
  RestartStarted: "RestartStarted",
  /** One consumer was restarted. */
  ConsumerRestarted: "ConsumerRestarted",
  /** One consumer could not be restarted; the operator retries. */
  RestartFailed: "RestartFailed",
  /** All read-only consumers have the current value. */
  RestartFinished: "RestartFinished",
  /** The value was rotated. */
  Rotated: "Rotated",
  /** The value could not be rotated; the operator retries. */
  RotationFailed: "RotationFailed",
} as const;
