export { ConditionType, EventReason, Reason } from "./api/reasons.ts";
export { ReloadRecord, type ReloadRecordStatus } from "./api/reload-record.ts";
export type { NewReloaderConfig } from "./api/reloader-config.ts";
export { ReloaderConfig } from "./api/reloader-config.ts";
export type { Alerts, ReloaderConfigSpec, ReloaderConfigSpecInput, Target } from "./api/spec.ts";
export type { ReloaderConfigStatus, TargetStatus } from "./api/status.ts";
export { reloader } from "./operator.ts";
