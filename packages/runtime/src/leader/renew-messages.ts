import type { ConnectOptions } from "@keelson/client";
import type { ElectionEnd, ElectionReport } from "./election-report.ts";
import type { ElectionRules } from "./election-rules.ts";

/**
 * How the worker finds the API server: it connects by itself, so that no credential is copied into its start data. Its
 * environment is a copy of the process's.
 */
export type WorkerConnectOptions = Pick<ConnectOptions, "kubeconfigPath" | "contextName" | "userAgent">;

/** What the worker gets when it is made. */
export interface RenewWorkerData {
  readonly rules: ElectionRules;
  readonly connect: WorkerConnectOptions;
  /** Of the LeaseTerm of the thread that made it. */
  readonly termMemory: SharedArrayBuffer;
}

export type MessageToWorker =
  /** `nowMs`: the sender's monotonic time. It is past when it arrives, so who takes it for now is early, never late. */
  | { readonly type: "start"; readonly nowMs: number }
  | { readonly type: "cancel" }
  | { readonly type: "release" };

export type MessageFromWorker =
  /** It is connected and waits for `start`. */
  | { readonly type: "ready" }
  | { readonly type: "report"; readonly report: ElectionReport }
  | { readonly type: "ended"; readonly end: ElectionEnd }
  | { readonly type: "released"; readonly isReleased: boolean }
  /** What people should know about the connection. */
  | { readonly type: "warning"; readonly message: string };
