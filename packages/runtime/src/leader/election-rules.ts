import { dnsSubdomainProblem, type ObjectKey, type Random, randomUuid } from "@keelson/core";
import { InvalidElectionError } from "./errors.ts";

/** The delay between two tries to acquire is the retry period plus up to this many retry periods [LE5]. */
export const jitterFactor = 1.2;

/** The settings of an election; the same for every replica, except for the identity. */
export interface ElectionSettings {
  readonly lease: {
    readonly name: string;
    /** Default: `podNamespace`. */
    readonly namespace?: string;
  };
  /** The namespace of the pod that this program runs in, if it does. */
  readonly podNamespace?: string;
  /** Identifies this replica. No two replicas may have the same one: see `electionIdentity`. */
  readonly identity: string;
  /** How long other replicas wait after the last renewal that they saw. Whole seconds. Default 15 s. */
  readonly leaseDurationMs?: number;
  /** How long a leader that cannot renew goes on leading. Default 10 s. */
  readonly renewDeadlineMs?: number;
  /** How long to wait between tries. Default 2 s. */
  readonly retryPeriodMs?: number;
}

/** The settings of an election, validated and complete. Can be passed to another thread. */
export interface ElectionRules {
  readonly lease: ObjectKey & { readonly namespace: string };
  readonly identity: string;
  readonly leaseDurationMs: number;
  readonly renewDeadlineMs: number;
  readonly retryPeriodMs: number;
  /** How long one request may take [LE7]: short enough that a request that hangs does not cost the Lease. */
  readonly requestTimeoutMs: number;
}

/** Completes the settings. Throws an InvalidElectionError that lists every problem [LE1, LE2]. */
export function electionRules(settings: ElectionSettings): ElectionRules {
  const { leaseDurationMs = 15_000, renewDeadlineMs = 10_000, retryPeriodMs = 2_000, identity } = settings;
  const { name } = settings.lease;
  const namespace = settings.lease.namespace ?? settings.podNamespace ?? "";
  const rules: ElectionRules = {
    lease: { namespace, name },
    identity,
    leaseDurationMs,
    renewDeadlineMs,
    retryPeriodMs,
    requestTimeoutMs: Math.max(1_000, renewDeadlineMs / 2),
  };
  const problems = [...leaseProblems(rules), ...timeProblems(rules)];
  if (problems.length > 0) throw new InvalidElectionError(problems);
  return rules;
}

function leaseProblems({ lease: { namespace, name }, identity }: ElectionRules): readonly string[] {
  const problems: string[] = [];
  const nameProblem = name === "" ? "is empty" : dnsSubdomainProblem(name);
  if (nameProblem !== undefined) problems.push(`lease.name ${nameProblem}`);
  if (namespace === "")
    problems.push(
      "the Lease has no namespace: set lease.namespace, since this program does not run in a pod",
    );
  if (identity === "") problems.push("identity is empty");
  return problems;
}

function timeProblems(rules: ElectionRules): readonly string[] {
  const { leaseDurationMs, renewDeadlineMs, retryPeriodMs } = rules;
  const notPositive = Object.entries({ leaseDurationMs, renewDeadlineMs, retryPeriodMs })
    .filter(([, ms]) => !(ms > 0 && Number.isFinite(ms)))
    .map(([setting, ms]) => `${setting} is ${ms}, and must be more than 0`);
  if (notPositive.length > 0) return notPositive;
  const problems: string[] = [];
  if (leaseDurationMs <= renewDeadlineMs)
    problems.push(`leaseDurationMs ${leaseDurationMs} must be more than renewDeadlineMs ${renewDeadlineMs}`);
  // The record counts in seconds; rounded down, another replica would take over before this one expects it.
  if (leaseDurationMs % 1000 !== 0)
    problems.push(`leaseDurationMs ${leaseDurationMs} must be a whole number of seconds`);
  if (renewDeadlineMs <= jitterFactor * retryPeriodMs)
    problems.push(
      `renewDeadlineMs ${renewDeadlineMs} must be more than ${jitterFactor} × retryPeriodMs ${retryPeriodMs}`,
    );
  return problems;
}

/** Makes an identity that no other replica has [LE2]: the host name, `_` and a random UUID. */
export function electionIdentity(hostName: string, random: Random): string {
  return `${hostName}_${randomUuid(random)}`;
}
