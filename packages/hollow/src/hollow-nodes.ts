import type { Client, Clock, EventRecorder, Logger, Random } from "keelson";
import type { HollowNodeOptions } from "./node/node-settings.ts";

export interface HollowNodesOptions {
  readonly client: Client;
  /** So many nodes, named `hollow-1` and so on, or these. */
  readonly nodes: number | readonly HollowNodeOptions[];
  /** From when a node sees a pod until its containers may start. Default 0. */
  readonly podStartDelayMs?: number;
  /** How long each init container runs. Default 0. */
  readonly initRunMs?: number;
  /** From the start of a container until it is ready. Default 0. */
  readonly readyDelayMs?: number;
  /** How long the containers of pods run that are not restarted always, such as those of Jobs. Default 200. */
  readonly runMs?: number;
  /** How long containers take to stop. One that takes longer than the pod's grace period is killed. Default 0. */
  readonly terminationDelayMs?: number;
  /** How long a container that failed again waits for its restart; doubled each time up to 5 min. Default 10 s. */
  readonly restartBackoffMs?: number;
  /** Between two renewals of a node's Lease. Default 10 s. */
  readonly heartbeatMs?: number;
  /** Between two reports of a node's status that has not changed. Default 5 min. */
  readonly statusIntervalMs?: number;
  /**
   * `stop` removes the Nodes that this call made, except those that another program has taken up since. Default true.
   * Their pods are then the cluster's to clean up.
   */
  readonly removeNodes?: boolean;
  /** Default: the machine's. */
  readonly clock?: Clock;
  /** Default: the machine's. */
  readonly random?: Random;
  /** Default: logs nothing. */
  readonly log?: Logger;
  /** Records invalid annotations. Default: records nothing. */
  readonly events?: EventRecorder;
  /** Aborts the start. What it has made is removed before it rejects. */
  readonly signal?: AbortSignal;
}

export interface SetReadyOptions {
  /**
   * How a node that is not ready shows it. `report`, the default: it reports it; it starts nothing and still ends pods that
   * are deleted. `silent`: it does nothing at all, as if its kubelet were dead.
   */
  readonly mode?: "report" | "silent";
}

/** Nodes that run without machines. All that they know is in the cluster: other ones of the same names go on. */
export interface HollowNodes extends AsyncDisposable {
  readonly names: readonly string[];
  /** Returns when the Node shows it. A Node that was deleted is created again when it becomes ready. */
  setReady(name: string, isReady: boolean, options?: SetReadyOptions): Promise<void>;
  /** From now on images that match cannot be pulled; `*` stands for any text. Containers that run go on. */
  failPulls(pattern: string): void;
  /** Takes back `failPulls` with the same pattern, or all of them. Pods that are stuck go on at once. */
  allowPulls(pattern?: string): void;
  /** Settles when the nodes have stopped; rejects if that is because something failed. */
  readonly ended: Promise<void>;
  /** Stops the nodes and returns when nothing is left running. May be called more than once. */
  stop(): Promise<void>;
}
