import type { ElectionEnd, Report } from "./election-report.ts";

/** Where an election loop runs: in this thread, or in one of its own. */
export interface ElectionDriver {
  run(report: Report, signal: AbortSignal): Promise<ElectionEnd>;
  /** After `run`: gives the lease up if it is held; true if so. */
  release(): Promise<boolean>;
  /** Lets go of everything, and keeps the lease. May be called more than once. */
  close(): Promise<void>;
}
