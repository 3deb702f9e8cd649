/** What the program is told, as JSON, by its first argument. */
export interface ProgramSettings {
  readonly kubeconfigPath: string;
  /** Also the name of the controller, and the user agent of all requests. */
  readonly identity: string;
  /** So many reconciles run at once, each until its signal aborts. */
  readonly reconciles: number;
  /** Reconciles do not end. */
  readonly isStubborn?: boolean;
  readonly graceMs?: number;
  /** Stands for election by this Lease in the namespace `default`. */
  readonly lease?: string;
}

/** A line that the program prints. */
export type ProgramLine =
  | { readonly type: "listening"; readonly server: string; readonly port: number }
  | { readonly type: "reconciling" | "aborted"; readonly key: string }
  | { readonly type: "begun" }
  /** `run` has ended well; what is left keeps the process alive. */
  | { readonly type: "ended"; readonly left: readonly string[] }
  | { readonly type: "failed"; readonly message: string };
