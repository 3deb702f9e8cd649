import type { KubeObject, Resource } from "keelson";
import { type NamespacedMeta, parseApiVersion } from "keelson/low-level";

/** A place in Zenith's DNS that a service of a tenant cluster has. It is in the tenant cluster. */
export interface Reservation extends KubeObject {
  readonly metadata: NamespacedMeta;
  readonly status?: {
    readonly phase?: string;
    readonly subdomain?: string | null;
    readonly fqdn?: string | null;
  };
}

export function reservationKind(apiVersion: string): Resource<Reservation> {
  return { ...parseApiVersion(apiVersion), kind: "Reservation", plural: "reservations", scope: "Namespaced" };
}
