import type { Resource, Stored } from "keelson";
import {
  type Client,
  controllerFor,
  defineOperator,
  formatKey,
  mergePatch,
  type ObjectKey,
  type Operator,
} from "keelson";
import type { PartDependencies } from "keelson/manager";
import { type Reservation, reservationKind } from "../../src/neighbours/zenith.ts";
import { TenantClusters, type TenantClustersOptions } from "../../src/tenant/tenant-clusters.ts";

export const zenithApiVersion = "zenith.stackhpc.com/v1alpha1";
export const Reservations: Resource<Reservation & { readonly spec?: object }> =
  reservationKind(zenithApiVersion);

/** An operator that does nothing but watch tenant clusters. */
export interface TenantMonitor {
  readonly operator: Operator;
  readonly tenants: TenantClusters;
  /** What each reconcile of a Cluster found, such as `shop/demo: a, b`. */
  readonly reconciled: string[];
}

type Own = Partial<Pick<TenantClustersOptions, "clock" | "random" | "log" | "openTransport">>;

export function tenantMonitor(own: Own = {}): TenantMonitor {
  const reconciled: string[] = [];
  let tenants: TenantClusters | undefined;
  const made = (): TenantClusters => {
    if (tenants === undefined) throw new Error("the operator has not been set up");
    return tenants;
  };
  const parts = (dependencies: PartDependencies<unknown>) => {
    const clusters = new TenantClusters({ ...dependencies, zenithApiVersion, ...own });
    return {
      controllers: [
        controllerFor<ObjectKey>({ name: "tenants", formatKey })
          .source(clusters.source)
          .reconcileKey(async ({ key }) => {
            reconciled.push(`${formatKey(key)}: ${namesOf(clusters, key)}`);
          }),
      ],
      setup: (manager: { add(runnable: TenantClusters): void }) => {
        tenants = clusters;
        manager.add(clusters);
      },
    };
  };
  return {
    operator: defineOperator({ name: "tenants", parts }),
    get tenants() {
      return made();
    },
    reconciled,
  };
}

/** The names of the Reservations of a tenant cluster, or that they are not known. */
export function namesOf(tenants: TenantClusters, key: ObjectKey): string {
  const names = tenants.reservations(key)?.map(({ metadata }) => metadata.name);
  return names?.toSorted().join(", ") ?? "unknown";
}

/** Creates a Reservation as a chart does, and fills in its status as the Zenith operator does. */
export async function createReservation(
  client: Client,
  { namespace = "default", name }: { readonly namespace?: string; readonly name: string },
): Promise<Stored<Reservation>> {
  const metadata = { namespace, name, annotations: { "meta.helm.sh/release-name": "web" } };
  const object = { metadata, spec: { credentialSecretName: `${name}-credential` } };
  await client.create(Reservations, object);
  return setStatus(client, { namespace, name }, { phase: "Ready", subdomain: name, fqdn: `${name}.example` });
}

export function setStatus(client: Client, key: ObjectKey, status: object): Promise<Stored<Reservation>> {
  return client.status(Reservations).patch(key, mergePatch({ status }));
}

/** A kubeconfig as JSON, which is YAML: parsing it needs no file of a library. */
export function kubeconfigText(server: string, user: object = { token: "geheim" }): string {
  return JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    "current-context": "admin@demo",
    clusters: [{ name: "demo", cluster: { server } }],
    users: [{ name: "admin", user }],
    contexts: [{ name: "admin@demo", context: { cluster: "demo", user: "admin" } }],
  });
}
