/** The settings of the program: JSON in its first argument. */
export interface ProgramSettings {
  readonly kubeconfigPath: string;
  /** Also the name of the controller, and the user agent of all requests. */
  readonly identity: string;
  /** How many reconciles run at once, each until its signal aborts. */
  readonly reconciles: number;
  /** Reconciles do not end. */
  readonly isStubborn?: boolean;
  readonly graceMs?: number;
  /** The Lease of its leader election, in the namespace `default`. */
  readonly lease?: string;
}

/** A line that the program prints. */
export type ProgramLine =
  | { readonly type: "listening"; readonly server: string; readonly port: number }
  | { readonly type: "reconciling" | "aborted"; readonly key: string }
  | { readonly type: "begun" }
  /** `run` has resolved; `left` are the resources that keep the process alive. */
  | { readonly type: "ended"; readonly left: readonly string[] }
  | { readonly type: "failed"; readonly message: string };
