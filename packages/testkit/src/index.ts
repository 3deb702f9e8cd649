export {
  ClockBusyError,
  ClockStuckError,
  EndlessTimersError,
  FaultyTransportClosedError,
  SandboxStoppedError,
  TestkitError,
  UnknownLevelError,
} from "./errors.ts";
export type {
  CutOptions,
  Fault,
  InjectedAnswer,
  LineFault,
  RequestFault,
  StreamEnd,
  StreamFault,
} from "./fault.ts";
export { faults } from "./fault.ts";
export type { FaultOptions, FaultRule, FaultyTransport } from "./faulty-transport.ts";
export { faultyTransport } from "./faulty-transport.ts";
export type { InjectedStatusOptions, StatusReason } from "./injected-status.ts";
export { errorEvent, failureStatus } from "./injected-status.ts";
export type { RecordedRequest, RequestMatch, RequestPattern } from "./request-match.ts";
export type { Cluster, StartClusterOptions } from "./start-cluster.ts";
export { startCluster } from "./start-cluster.ts";
export type { RunningSandbox, StartSandboxOptions } from "./start-sandbox.ts";
export { startSandbox } from "./start-sandbox.ts";
export type { PendingTimer } from "./timer-list.ts";
export type { AdvanceLimit, VirtualClockOptions } from "./virtual-clock.ts";
export { VirtualClock } from "./virtual-clock.ts";
