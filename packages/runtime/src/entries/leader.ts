// Leader election and the guard that refuses writes of a replica that does not lead.
export type { WorkerConnectOptions } from "../leader/election-driver.ts";
export type { ElectionRules, ElectionSettings } from "../leader/election-rules.ts";
export { electionIdentity, electionRules } from "../leader/election-rules.ts";
export {
  ElectorMisuseError,
  InvalidElectionError,
  LeaderElectionError,
  LeadershipLostError,
  LeaseNotRenewedError,
  LeasePermissionError,
  NotLeaderError,
  RenewWorkerError,
} from "../leader/errors.ts";
export type {
  LeaderCallbacks,
  LeaderElectorOptions,
  LeaderObserver,
  RenewalOptions,
} from "../leader/leader-elector.ts";
export { LeaderElector } from "../leader/leader-elector.ts";
export type { Leadership, LeaseHealthOptions } from "../leader/lease-term.ts";
export { leaseHealthCheck } from "../leader/lease-term.ts";
export { guardTransport, guardWrites } from "../leader/write-guard.ts";
export type { LeaderElectionOptions } from "../manager/election.ts";
