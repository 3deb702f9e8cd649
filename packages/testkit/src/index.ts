/** Where the pinned kubectl is, for tests that run scripts. */
export { binariesFolder } from "@keelson/controlplane";
export { ContractError } from "./contract/errors.ts";
export type {
  ContractCase,
  ContractRunOptions,
  ContractScenario,
  OperatorContractOptions,
} from "./contract/operator-contract.ts";
export { operatorContract } from "./contract/operator-contract.ts";
export type { SpecEdits } from "./contract/spec-edits.ts";
export {
  AcceptedError,
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
  InjectedResponse,
  LineFault,
  RequestFault,
  StreamEnd,
  StreamFault,
} from "./fault.ts";
export { faults } from "./fault.ts";
export type { FaultOptions, FaultyTransport, InjectedFault } from "./faulty-transport.ts";
export { faultyTransport } from "./faulty-transport.ts";
export type { InjectedStatusOptions, StatusReason } from "./injected-status.ts";
export { errorEvent, failureStatus } from "./injected-status.ts";
export type { CrashAtEveryWriteOptions, CrashReport } from "./operator/crash-at-every-write.ts";
export { crashAtEveryWrite } from "./operator/crash-at-every-write.ts";
export type {
  CrashingTransport,
  CrashingTransportOptions,
  CrashMoment,
} from "./operator/crashing-transport.ts";
export { crashingTransport } from "./operator/crashing-transport.ts";
export type { CrashPoint } from "./operator/errors.ts";
export {
  NotConvergedError,
  NotSettledError,
  OperatorEndedError,
  WebhooksNotCalledError,
} from "./operator/errors.ts";
export { normalized } from "./operator/normalized.ts";
export type { OperatorProblem } from "./operator/problem-log.ts";
export type { RecordedWrite } from "./operator/recorded-write.ts";
export { describeWrite } from "./operator/recorded-write.ts";
export type { OperatorAccess, RunningOperator, RunOperatorOptions } from "./operator/run-operator.ts";
export { runOperator, secondPass } from "./operator/run-operator.ts";
export type { Scenario, ScenarioStage, ScenarioWorld } from "./operator/scenario.ts";
export type { RecordedRequest, RequestMatch } from "./recorded-request.ts";
export { RecordingLogger } from "./recording-logger.ts";
export type { Cluster, StartClusterOptions } from "./start-cluster.ts";
export { startCluster } from "./start-cluster.ts";
export type { RunningSandbox, StartSandboxOptions } from "./start-sandbox.ts";
export { startSandbox } from "./start-sandbox.ts";
export type { PendingTimer } from "./timer-list.ts";
export type { AdvanceLimit, VirtualClockOptions } from "./virtual-clock.ts";
export { VirtualClock } from "./virtual-clock.ts";
export { Space } from "./world/space.ts";
export type { StartWorldOptions, World } from "./world/start-world.ts";
export { startWorld } from "./world/start-world.ts";
export type { VirtualWorld, VirtualWorldOptions } from "./world/virtual-world.ts";
