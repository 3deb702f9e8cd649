import { mergePatch, NotFoundError, type Resource, type Stored } from "keelson";
import type { ServiceStatus } from "../api/cluster.ts";
import { servicesAnnotation } from "../api/names.ts";
import { HelmRelease, Manifests } from "../neighbours/addons.ts";
import { enabledZenith } from "../settings.ts";
import { addonKey, servicesOf } from "../tenant/services.ts";
import type { Surroundings } from "./observe.ts";
import type { ClusterContext, ClusterParts } from "./parts.ts";

type Addon = Stored<HelmRelease> | Stored<Manifests>;
type Services = Readonly<Record<string, ServiceStatus>>;

/** The services of a cluster, and the annotations that its addons must have for them. */
export interface ServicesToShow {
  readonly services: Services;
  /** Addons whose annotation differs, with what it must be. */
  readonly outdated: readonly { readonly addon: Addon; readonly annotation: string | undefined }[];
}

/**
 * What the Reservations of the tenant cluster come to. While they are not known, everything stays as it is: a tenant cluster
 * that does not respond has not lost its services.
 */
export function servicesToShow(
  { object, key }: ClusterContext,
  { tenants, settings }: ClusterParts,
  { installed }: Surroundings,
): ServicesToShow {
  const reservations = enabledZenith(settings) && tenants.reservations(key);
  if (reservations === undefined) return { services: object.status?.services ?? {}, outdated: [] };
  const { services, annotations } = servicesOf(reservations, { cluster: key, ...installed });
  const addons = [
    ...installed.helmReleases.map((addon) => ({ addon, key: addonKey("HelmRelease", addon.metadata) })),
    ...installed.manifests.map((addon) => ({ addon, key: addonKey("Manifests", addon.metadata) })),
  ];
  const outdated = addons
    .map(({ addon, key: id }) => ({ addon, annotation: annotations.get(id) }))
    .filter(({ addon, annotation }) => addon.metadata.annotations?.[servicesAnnotation] !== annotation);
  return { services, outdated };
}

/** Writes the annotations of addons. */
export async function annotateAddons(
  { client }: ClusterContext,
  { settings }: ClusterParts,
  { outdated }: ServicesToShow,
): Promise<void> {
  for (const { addon, annotation } of outdated) {
    const { namespace, name, uid } = addon.metadata;
    const annotations = { [servicesAnnotation]: annotation ?? null };
    // With the uid, the server refuses the patch if the addon was deleted and created again.
    const patch = mergePatch({ metadata: { uid, annotations } });
    const kind: Resource = addon.kind === HelmRelease.kind ? HelmRelease : Manifests;
    try {
      await client.patch(kind, { namespace, name }, patch, { fieldOwner: settings.easykubeFieldManager });
    } catch (error) {
      // One that is gone needs no annotation.
      if (!(error instanceof NotFoundError)) throw error;
    }
  }
}
