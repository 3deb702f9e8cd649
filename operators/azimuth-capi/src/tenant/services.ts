import type { ObjectKey, Stored } from "keelson";
import { sortFields } from "keelson/object";
import type { ServiceStatus } from "../api/cluster.ts";
import {
  addonClusterLabel,
  addonNamespaceLabel,
  addonReleaseLabel,
  clusterLabel,
  helmNamespaceAnnotation,
  helmReleaseAnnotation,
  serviceDescriptionAnnotation,
  serviceIconAnnotation,
  serviceLabelAnnotation,
} from "../api/names.ts";
import type { HelmRelease, Manifests } from "../neighbours/addons.ts";
import type { Reservation } from "../neighbours/zenith.ts";

type AddonKind = "HelmRelease" | "Manifests";

/** Identifies an addon among all of both kinds; made by `addonKey`. */
export type AddonKey = `${AddonKind} ${string}`;

export function addonKey(kind: AddonKind, { namespace = "", name }: Partial<ObjectKey>): AddonKey {
  return `${kind} ${namespace}/${name}`;
}

/** A Cluster, and the addons among which those of its tenant cluster are. */
export interface AddonsOfTenant {
  readonly cluster: ObjectKey;
  readonly helmReleases: readonly Stored<HelmRelease>[];
  readonly manifests: readonly Stored<Manifests>[];
}

/** What the Reservations of a tenant cluster come to. */
export interface ServicePlan {
  /** The services of the Cluster: those of its own addons, as opposed to the apps of users. */
  readonly services: Readonly<Record<string, ServiceStatus>>;
  /** The services annotation that each addon of the tenant cluster has to have; undefined: none. */
  readonly annotations: ReadonlyMap<AddonKey, string | undefined>;
}

interface TenantAddon {
  readonly key: AddonKey;
  /** Namespace and name of its release in the tenant cluster; undefined if the addon provider has not labelled it yet. */
  readonly release: string | undefined;
  /** Whether it is of the Cluster itself, as opposed to an app of a user. */
  readonly isOfCluster: boolean;
  readonly services: Map<string, ServiceStatus>;
}

/**
 * The services of a tenant cluster. They depend on nothing but the Reservations and addons that exist, so that a service
 * that was lost while the operator did not run is removed everywhere.
 */
export function servicesOf(
  reservations: readonly Stored<Reservation>[],
  { cluster, helmReleases, manifests }: AddonsOfTenant,
): ServicePlan {
  // In this order: a HelmRelease comes before Manifests of the same release.
  const addons = [
    ...addonsOfTenant("HelmRelease", helmReleases, cluster),
    ...addonsOfTenant("Manifests", manifests, cluster),
  ];
  const ofCluster = new Map<string, ServiceStatus>();
  for (const reservation of inOrder(reservations)) {
    const release = releaseOf(reservation);
    const addon = release === undefined ? undefined : addons.find((each) => each.release === release);
    const status = serviceStatus(reservation);
    if (addon === undefined || status === undefined) continue;
    const name = serviceName(reservation);
    addFirst(addon.services, name, status);
    if (addon.isOfCluster) addFirst(ofCluster, name, status);
  }
  return {
    services: Object.fromEntries(ofCluster),
    annotations: new Map(addons.map(({ key, services }) => [key, annotationText(services)])),
  };
}

function addonsOfTenant(
  kind: AddonKind,
  addons: readonly Stored<HelmRelease | Manifests>[],
  { namespace, name }: ObjectKey,
): readonly TenantAddon[] {
  return inOrder(addons).flatMap(({ metadata }) => {
    const { labels = {} } = metadata;
    if (metadata.namespace !== namespace || labels[addonClusterLabel] !== name) return [];
    return {
      key: addonKey(kind, metadata),
      release: releaseText(labels[addonNamespaceLabel], labels[addonReleaseLabel]),
      isOfCluster: labels[clusterLabel] !== undefined,
      services: new Map(),
    };
  });
}

/** The release that a Reservation is part of; undefined if it is not of Helm, so that it has no addon. */
function releaseOf({ metadata: { annotations } }: Stored<Reservation>): string | undefined {
  return releaseText(annotations?.[helmNamespaceAnnotation], annotations?.[helmReleaseAnnotation]);
}

function releaseText(namespace = "", name = ""): string | undefined {
  return namespace === "" || name === "" ? undefined : `${namespace}/${name}`;
}

function serviceName({ metadata: { namespace = "", name } }: Stored<Reservation>): string {
  return name.startsWith(namespace) ? name : `${namespace}-${name}`;
}

/** Undefined while there is no service: the Reservation is not ready, or no longer. */
function serviceStatus({ metadata, status }: Stored<Reservation>): ServiceStatus | undefined {
  const { phase, subdomain, fqdn } = status ?? {};
  if (phase !== "Ready" || !subdomain || !fqdn) return undefined;
  const { annotations = {} } = metadata;
  const iconUrl = annotations[serviceIconAnnotation];
  const description = annotations[serviceDescriptionAnnotation];
  return {
    subdomain,
    fqdn,
    label: annotations[serviceLabelAnnotation]?.trim() || labelFrom(metadata.name),
    ...(iconUrl !== undefined && { iconUrl }),
    ...(description !== undefined && { description }),
  };
}

/** Such as `Grafana Client` of `grafana-client`. */
function labelFrom(name: string): string {
  return name
    .split("-")
    .map((word) => word.slice(0, 1).toUpperCase() + word.slice(1))
    .join(" ");
}

/** The same text for the same services. */
function annotationText(services: ReadonlyMap<string, ServiceStatus>): string | undefined {
  if (services.size === 0) return undefined;
  const entries = [...services].map(([name, status]) => [
    name,
    { iconUrl: null, description: null, ...status },
  ]);
  return JSON.stringify(sortFields(Object.fromEntries(entries)));
}

/** Two Reservations can have the same service name. Which one it is must not depend on which came first. */
function addFirst(services: Map<string, ServiceStatus>, name: string, status: ServiceStatus): void {
  if (!services.has(name)) services.set(name, status);
}

/** By namespace, then by name; no character of either sorts before the space. */
function inOrder<T extends Stored>(objects: readonly T[]): readonly T[] {
  const keyText = ({ metadata: { namespace = "", name } }: T): string => `${namespace} ${name}`;
  return objects.toSorted((a, b) => (keyText(a) < keyText(b) ? -1 : 1));
}
