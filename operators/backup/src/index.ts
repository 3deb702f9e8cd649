export type { NewBackUp } from "./api/back-up.ts";
export { BackUp } from "./api/back-up.ts";
export { backupLabel, revisionAnnotation, runAgainAnnotation, typeAnnotation } from "./api/names.ts";
export { ConditionType, Reason } from "./api/reasons.ts";
export type { BackUpSpec, BackUpSpecInput, BackUpVolume, BackupType, Retain } from "./api/spec.ts";
export type { BackUpStatus, HistoryEntry, Phase, Result, RunningEntry } from "./api/status.ts";
export { backup } from "./operator.ts";
