import { formatKey, KeelsonError, type ObjectKey } from "@keelson/core";

/** The base of the errors of leader election. */
export abstract class LeaderElectionError extends KeelsonError {
  static override readonly brand: string = "keelson.LeaderElectionError";
}

/** The settings of an election are invalid [LE1, LE2]. The message lists every problem. */
export class InvalidElectionError extends LeaderElectionError {
  static override readonly brand: string = "keelson.InvalidElectionError";
  readonly code = "INVALID_ELECTION";
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(`set up leader election: ${problems.join("; ")}`);
    this.problems = problems;
  }
}

/**
 * This replica led, and another may lead now. Everything that only a leader may do must end; the usual way is to end
 * the process and to start it again as a candidate.
 */
export class LeadershipLostError extends LeaderElectionError {
  static override readonly brand: string = "keelson.LeadershipLostError";
  readonly code = "LEADERSHIP_LOST";
  readonly lease: ObjectKey;
  readonly reason: string;

  constructor(lease: ObjectKey, reason: string, options?: ErrorOptions) {
    super(
      `lead by lease ${formatKey(lease)}: leader election lost: ${reason}; start again as a candidate`,
      options,
    );
    this.lease = lease;
    this.reason = reason;
  }
}

/** A write was not sent, or its response is not awaited any more, because another replica may lead now [LE12]. */
export class NotLeaderError extends LeaderElectionError {
  static override readonly brand: string = "keelson.NotLeaderError";
  readonly code = "NOT_LEADER";
  /** The call, such as `patch deployments.apps shop/web`. */
  readonly operation: string;
  readonly lease: ObjectKey;
  /** How long ago the lease was last renewed; undefined if this replica does not lead. */
  readonly renewedAgoMs: number | undefined;
  /** True if leadership ended while the write was under way: the server may have executed it. */
  readonly mayHaveBeenSent: boolean;

  constructor(
    operation: string,
    lease: ObjectKey,
    renewedAgoMs: number | undefined,
    { mayHaveBeenSent }: { readonly mayHaveBeenSent: boolean } = { mayHaveBeenSent: false },
  ) {
    const state =
      renewedAgoMs === undefined
        ? "is not held by this replica"
        : `was last renewed ${(renewedAgoMs / 1000).toFixed(1)} s ago, so that another replica may hold it`;
    const outcome = mayHaveBeenSent ? "it may have been sent before" : "nothing was sent";
    super(`${operation}: lease ${formatKey(lease)} ${state}; ${outcome}`);
    this.operation = operation;
    this.lease = lease;
    this.renewedAgoMs = renewedAgoMs;
    this.mayHaveBeenSent = mayHaveBeenSent;
  }
}

/** The API server forbids a request for the Lease. The elector keeps trying, since the permission can be granted. */
export class LeasePermissionError extends LeaderElectionError {
  static override readonly brand: string = "keelson.LeasePermissionError";
  readonly code = "LEASE_PERMISSION";
  readonly lease: ObjectKey;

  constructor(lease: ObjectKey, refusal: string) {
    super(
      `elect a leader by lease ${formatKey(lease)}: ${refusal}; grant the verbs get, create and update on ` +
        `leases.coordination.k8s.io in namespace ${lease.namespace}`,
    );
    this.lease = lease;
  }
}

/** A leader has not renewed its Lease for longer than it is valid, and still runs [LE10]. */
export class LeaseNotRenewedError extends LeaderElectionError {
  static override readonly brand: string = "keelson.LeaseNotRenewedError";
  readonly code = "LEASE_NOT_RENEWED";
  readonly lease: ObjectKey;
  readonly renewedAgoMs: number;

  constructor(lease: ObjectKey, renewedAgoMs: number) {
    super(
      `check lease ${formatKey(lease)}: this replica leads, but renewed it last ` +
        `${(renewedAgoMs / 1000).toFixed(1)} s ago; restart the process`,
    );
    this.lease = lease;
    this.renewedAgoMs = renewedAgoMs;
  }
}

/** A method of an elector was called in the wrong order. */
export class ElectorMisuseError extends LeaderElectionError {
  static override readonly brand: string = "keelson.ElectorMisuseError";
  readonly code = "ELECTOR_MISUSE";

  constructor(lease: ObjectKey, problem: string) {
    super(`elect a leader by lease ${formatKey(lease)}: ${problem}`);
  }
}

/** The thread that renews the Lease has ended on its own. */
export class RenewWorkerError extends LeaderElectionError {
  static override readonly brand: string = "keelson.RenewWorkerError";
  readonly code = "RENEW_WORKER";

  constructor(problem: string, options?: ErrorOptions) {
    super(`renew a lease in a worker thread: ${problem}`, options);
  }
}
