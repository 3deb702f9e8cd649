import type { Client } from "@keelson/client";
import type { Clock, Random, Transport } from "@keelson/core";
import type { Logger, Manager, ManagerOptions, Operator } from "keelson";
import { startOperator } from "./mortal-operator.ts";
import type { OperatorAccess } from "./operator-access.ts";
import type { RecordedWrite } from "./recorded-write.ts";

export interface RunOperatorOptions {
  /** As whom the operator runs. */
  readonly access: OperatorAccess;
  /** Who installs CustomResourceDefinitions, and removes webhook configurations at the end. Default: `access`. */
  readonly adminAccess?: OperatorAccess;
  /** Where it looks for objects. Default: everywhere. */
  readonly namespaces?: readonly string[];
  /** Whether its webhooks are served, on 127.0.0.1, and the API server is told of them. Default false. */
  readonly webhooks?: boolean;
  /** Puts something between the operator and its connection, such as `faultyTransport`. */
  readonly wrap?: (transport: Transport) => Transport;
  /** Default: the machine's. */
  readonly clock?: Clock;
  /** Default: the machine's. */
  readonly random?: Random;
  /** Default: says nothing. */
  readonly log?: Logger;
  /** Whether it records Events. Default true. */
  readonly events?: boolean;
  /** What a permission that is missing at the start does. Default `fail`: nothing starts. */
  readonly permissionCheck?: NonNullable<ManagerOptions["permissionCheck"]>;
}

/** An operator that runs in the test's own process. */
export interface RunningOperator extends AsyncDisposable {
  readonly manager: Manager;
  /** Past the operator's own connection: uncached, not recorded and not wrapped. */
  readonly client: Client;
  /**
   * What the operator has sent that is not a read, in order, whether it succeeded or not. Events, Leases, reviews, dry
   * runs and the upkeep of its webhooks are left out.
   */
  readonly writes: readonly RecordedWrite[];
  clearWrites(): void;
  /** As Prometheus reads them. */
  metrics(): Promise<string>;
  /**
   * Resolves when no key is ready and none is being reconciled. After the start that is: when each object that was there
   * has been reconciled. Keys that wait for a time, by a back-off or a requeue, are not waited for.
   */
  idle(): Promise<void>;
  /** Settles when the operator has ended; rejects if that is because something failed. */
  readonly ended: Promise<void>;
  /** Ends it, and resolves when nothing is left; rejects with what ended it before. May be called more than once. */
  stop(): Promise<void>;
  /** Ends it as a killed process ends: from now on nothing reaches the server. Resolves when nothing is left. */
  kill(): Promise<void>;
}

/**
 * Runs an operator against a cluster, as `keelson run` does, but without leader election, and without ports for metrics
 * and health. Its CustomResourceDefinitions are installed first, and stay. Resolves when all its controllers reconcile
 * and, if asked for, the API server calls its webhooks.
 */
export async function runOperator(operator: Operator, options: RunOperatorOptions): Promise<RunningOperator> {
  const { crashed: _, crashedAt: __, ...running } = await startOperator(operator, options);
  return running;
}
