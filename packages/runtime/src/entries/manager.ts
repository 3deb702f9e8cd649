// What a manager runs and how it fails.
export {
  GraceExceededError,
  GroupStoppedError,
  InvalidManagerError,
  ManagerError,
  ManagerReusedError,
  ManagerStartedError,
  ManagerStoppedError,
  WebhooksNotServedError,
} from "../manager/errors.ts";
export type { LifeState } from "../manager/manager-life.ts";
export type {
  BufferedEvents,
  HealthOptions,
  HttpEndpoint,
  ManagerMetricsOptions,
  ServerName,
} from "../manager/manager-options.ts";
export type {
  OperatorParts,
  OperatorSamples,
  OperatorSettings,
  PartDependencies,
  SampleStage,
} from "../manager/operator.ts";
export { InvalidSettingsError, operatorCacheKinds, operatorUses } from "../manager/operator.ts";
export type {
  IgnoredFlag,
  IgnoredKey,
  RenamedKey,
  ReplacedConfiguration,
  ReplacedKey,
  ReplacedProgram,
  SettingAlias,
} from "../manager/replaced-program.ts";
export type { Runnable } from "../manager/runnable.ts";
export type {
  NeighbourContext,
  SampleCluster,
  SampleNeighbours,
  StartSampleNeighbours,
} from "../manager/sample-neighbours.ts";
export type { SignalledProcess, Stoppable } from "../manager/signals.ts";
