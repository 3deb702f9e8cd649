import type { Access } from "./access.ts";
import type { Binaries } from "./binaries/binaries.ts";
import type { Identity } from "./certificate-authority.ts";
import type { ComponentName } from "./components/component.ts";
import type { ComponentExitedError } from "./errors.ts";
import type { KubectlOptions, KubectlResult } from "./kubectl.ts";
import type { PolicyRule } from "./rbac-grant.ts";

export interface ControlPlaneOptions {
  /** Runs kube-controller-manager: Deployments get pods, owners take their dependents with them. Default false. */
  readonly controllerManager?: boolean;
  /** Runs kube-scheduler: pods get Nodes. Default false. */
  readonly scheduler?: boolean;
  /** More flags for a component. They come last: one that takes a single value wins over Keelson's own. */
  readonly args?: Readonly<Partial<Record<ComponentName, readonly string[]>>>;
  /** Default: what `findBinaries` finds. */
  readonly binaries?: Binaries;
  /** How long one component may take to become ready. Default 60 s. */
  readonly readyTimeoutMs?: number;
  /** Called with the progress of a download or a build of the programs. */
  readonly onProgress?: (message: string) => void;
  /** Aborts the start; what had been started is stopped before the call rejects. */
  readonly signal?: AbortSignal;
}

export interface UserOptions extends Identity {
  /** What the user may do; without rules, what its groups may. */
  readonly rules?: readonly PolicyRule[];
  /** The rules hold in this namespace only; without it in all of them. The namespace must exist. */
  readonly namespace?: string;
}

/** A running control plane. Its own kubeconfig is the administrator's; `createUser` makes a kubeconfig for another user. */
export interface ControlPlane extends Access, AsyncDisposable {
  readonly url: string;
  /** Holds certificates, data and logs; `stop` deletes it. */
  readonly folder: string;
  readonly components: readonly ComponentName[];
  /** Settles with the first component that ends unexpectedly; never rejects. */
  readonly crashed: Promise<ComponentExitedError>;
  /** Makes a user with a client certificate; its rules are in force when this returns. */
  createUser(options: UserOptions): Promise<Access>;
  /** Runs the control plane's own kubectl, by default as the administrator; returns what it printed. */
  kubectl(args: readonly string[], options?: KubectlOptions): Promise<string>;
  /** As `kubectl`, but gives all that it printed and its exit code, whatever that is. */
  tryKubectl(args: readonly string[], options?: KubectlOptions): Promise<KubectlResult>;
  /** Ends one component and keeps its data. Default SIGKILL. */
  kill(component: ComponentName, signal?: "SIGKILL" | "SIGTERM"): Promise<void>;
  /** Kills the component if it runs, starts it on the same port with the same data, returns when it is ready. */
  restart(component: ComponentName): Promise<void>;
  /** Ends every process and removes the folder. May be called more than once. */
  stop(): Promise<void>;
}
