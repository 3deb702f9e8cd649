import type { Client, Environment, LoadedKubeconfig } from "@keelson/client";
import type { Clock, Random } from "@keelson/core";
import type { Logger } from "../logger.ts";

/**
 * Starts what the samples of an operator need beside an embedded control plane, such as other operators, simulated. The
 * module of `OperatorSamples.neighbours` exports it as `startNeighbours`.
 */
export type StartSampleNeighbours = (context: NeighbourContext) => Promise<SampleNeighbours>;

export interface NeighbourContext {
  /** Of an administrator of the control plane on which the operator will run. */
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** For programs that are started. */
  readonly env: Environment;
  /** Starts another embedded control plane, for an operator that works with several. It ends after the neighbours. */
  startCluster(): Promise<SampleCluster>;
}

/** A control plane without nodes. */
export interface SampleCluster {
  readonly url: string;
  /** A kubeconfig with a client certificate of its own. */
  issueKubeconfig(user: string, groups: readonly string[]): Promise<LoadedKubeconfig["kubeconfig"]>;
}

/** What was started. Disposing of it ends it. */
export interface SampleNeighbours extends AsyncDisposable {
  /** Settings of the operator, such as addresses; those that a user sets count more. Default: none. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** Texts that the sample files contain as `${name}`. Default: none. */
  readonly texts?: Readonly<Record<string, string>>;
}
