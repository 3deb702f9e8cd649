import {
  type Clock,
  formatKey,
  type Logger,
  type ObjectKey,
  type Random,
  type Source,
  type Stored,
} from "keelson";
import { type ClusterAccess, httpTransport, type Transport } from "keelson/client";
import { type Enqueue, sourceOf } from "keelson/controller";
import { aborted } from "keelson/low-level";
import type { Runnable } from "keelson/manager";
import type { MetricsRegistry, Sample } from "keelson/telemetry";
import { type Reservation, reservationKind } from "../neighbours/zenith.ts";
import { AttemptGate } from "./attempt-gate.ts";
import { Tenant, type TenantParts, type TenantState } from "./tenant.ts";
import { watchedReservation } from "./watched-reservation.ts";

export interface TenantClustersOptions {
  /** The API version of Zenith in tenant clusters, such as `zenith.stackhpc.com/v1alpha1`. */
  readonly zenithApiVersion: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly metrics: MetricsRegistry;
  /** Opens the way to the API server of a tenant cluster. Default: over HTTP. */
  readonly openTransport?: (access: ClusterAccess) => Transport;
}

/** Alert rules and dashboards may depend on it. */
const metricName = "azimuth_kube_tenant_clusters";

const states = ["connecting", "synced", "failed"] as const;
const sourceName = "tenant clusters";

/**
 * Watches the Reservations of all tenant clusters. Each has a connection of its own, made of the kubeconfig that
 * `observe` was last called with, so that a tenant cluster that is down, slow or deleted does not affect another one.
 * Connections exist only while this replica leads.
 */
export class TenantClusters implements Runnable {
  readonly name = sourceName;
  /** Enqueues a Cluster when the Reservations of its tenant cluster become known, or change. */
  readonly source: Source<ObjectKey>;
  readonly #parts: TenantParts;
  readonly #tenants = new Map<string, Tenant>();
  readonly #enqueues = new Set<Enqueue<ObjectKey>>();
  /** The ends of tenants that were forgotten. */
  readonly #ending = new Set<Promise<void>>();
  #isRunning = false;

  constructor(options: TenantClustersOptions) {
    const { zenithApiVersion, clock, random, log, metrics } = options;
    const { openTransport = (access) => httpTransport(access, { clock }) } = options;
    const resource = watchedReservation(reservationKind(zenithApiVersion));
    this.#parts = { resource, clock, random, log, openTransport, gate: new AttemptGate({ clock }) };
    this.source = sourceOf(sourceName, async ({ enqueue, signal }) => {
      this.#enqueues.add(enqueue);
      await aborted(signal);
      this.#enqueues.delete(enqueue);
    });
    metrics.collected(
      "gauge",
      { name: metricName, help: "Tenant clusters by the state of their watch.", labels: ["state"] },
      () => this.#samples(),
    );
  }

  /** Connects until the signal aborts; when it resolves, no connection or timer is left. */
  async run(signal: AbortSignal): Promise<void> {
    this.#isRunning = true;
    for (const tenant of this.#tenants.values()) tenant.start();
    await aborted(signal);
    this.#isRunning = false;
    await Promise.all([...[...this.#tenants.values()].map((tenant) => tenant.stop()), ...this.#ending]);
  }

  /**
   * Follows the tenant cluster of a Cluster by this kubeconfig. The same text as before changes nothing; undefined closes
   * its connection and forgets its Reservations.
   */
  observe(key: ObjectKey, kubeconfig: string | undefined): void {
    const id = formatKey(key);
    const known = this.#tenants.get(id);
    if (kubeconfig !== undefined) {
      if (known !== undefined) known.follow(kubeconfig);
      else this.#add(id, new Tenant(key, kubeconfig, this.#parts, () => this.#enqueue(key)));
    } else if (known !== undefined) {
      this.#tenants.delete(id);
      const end = known.stop().finally(() => this.#ending.delete(end));
      this.#ending.add(end);
    }
  }

  /**
   * The Reservations of a tenant cluster as they were last seen. Undefined if they have not been seen since the start:
   * then nothing that follows from them may be changed.
   */
  reservations(key: ObjectKey): readonly Stored<Reservation>[] | undefined {
    return this.#tenants.get(formatKey(key))?.reservations;
  }

  /** Undefined for a Cluster without a kubeconfig. */
  state(key: ObjectKey): TenantState | undefined {
    return this.#tenants.get(formatKey(key))?.state;
  }

  #add(id: string, tenant: Tenant): void {
    this.#tenants.set(id, tenant);
    if (this.#isRunning) tenant.start();
  }

  #enqueue(key: ObjectKey): void {
    for (const enqueue of this.#enqueues) enqueue(key, { trigger: { source: sourceName, type: "generic" } });
  }

  *#samples(): Iterable<Sample> {
    const all = [...this.#tenants.values()];
    for (const state of states)
      yield { labels: [state], value: all.filter((tenant) => tenant.state.state === state).length };
  }
}
