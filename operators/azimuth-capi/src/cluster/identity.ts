import type { Stored } from "keelson";
import type { Cluster, ServiceStatus } from "../api/cluster.ts";
import { managedBy, managedByLabel } from "../api/names.ts";
import { Reason } from "../api/reasons.ts";
import type { OidcClient, Platform, Realm } from "../neighbours/identity.ts";
import type { OidcValues } from "../values/cluster-values.ts";
import { type Adopter, adoptOrphan } from "./adopt-orphan.ts";
import { NotReadyError } from "./not-ready-error.ts";
import type { ClusterContext, ClusterParts } from "./parts.ts";

type Services = Readonly<Record<string, ServiceStatus>>;

/** The Realm, or an error that says what is missing. */
export function requireRealm(realm: Stored<Realm> | undefined, name: string | undefined): Stored<Realm> {
  if (realm !== undefined) return realm;
  const message =
    name === undefined
      ? "no identity realm available to use; create a Realm in this namespace"
      : `could not find identity realm '${name}'; create it, or correct spec.zenithIdentityRealmName`;
  throw new NotReadyError(Reason.RealmNotFound, message, { isAbsent: true });
}

/** Brings the OIDC client and the Platform into place, one after the other, and returns what clusters need of them. */
export async function ensureIdentity(
  context: ClusterContext,
  parts: ClusterParts,
  realm: Stored<Realm>,
  services: Services,
): Promise<OidcValues> {
  if (!isReady(realm))
    throw new NotReadyError(Reason.RealmNotReady, `identity realm '${realm.metadata.name}' is not ready`);
  const { issuerUrl, clientId } = (await applyOidcClient(context, parts, realm)).status ?? {};
  if (!issuerUrl || !clientId)
    throw new NotReadyError(
      Reason.OidcClientNotReady,
      "OIDC client is not ready: its status has no issuerUrl and clientId yet",
    );
  // The status of one whose realm has just changed is still about the realm before.
  const { oidcIssuerUrl } = realm.status ?? {};
  if (oidcIssuerUrl && oidcIssuerUrl !== issuerUrl)
    throw new NotReadyError(
      Reason.OidcClientNotReady,
      `OIDC client is not ready: its issuerUrl is not that of realm '${realm.metadata.name}' yet`,
    );
  const { rootGroup } = (await applyPlatform(context, parts, realm, services)).status ?? {};
  if (!rootGroup)
    throw new NotReadyError(
      Reason.PlatformNotReady,
      "identity platform is not ready: its status has no rootGroup yet",
    );
  return {
    ...{ issuerUrl, clientId, rootGroup },
    platformUsersGroup: realm.status?.platformUsersGroup ?? undefined,
  };
}

/**
 * Keeps what a Cluster that was provisioned has with the identity operator: what a restored backup has orphaned is adopted,
 * and the Platform follows the services, whether users log in by OIDC or not.
 */
export async function maintainIdentity(
  context: ClusterContext,
  parts: ClusterParts,
  realm: Stored<Realm> | undefined,
  services: Services,
): Promise<void> {
  if (realm === undefined) return;
  if (parts.settings.identity.oidcEnabled && isReady(realm)) await applyOidcClient(context, parts, realm);
  await applyPlatform(context, parts, realm, services);
}

function isReady({ status }: Realm): boolean {
  return status?.phase === "Ready";
}

async function applyOidcClient(
  context: ClusterContext,
  parts: ClusterParts,
  { metadata: { name: realmName } }: Stored<Realm>,
): Promise<Stored<OidcClient>> {
  const { OidcClient } = parts.kinds;
  const name = oidcClientName(parts, context.object.metadata.name);
  await adoptOrphan(context, adopterOf(parts), OidcClient, name);
  return context.apply(OidcClient, {
    metadata: { name, labels: ownLabels(context, parts) },
    spec: { realmName, public: true, grantTypes: ["DeviceCode"] },
  });
}

/** The name of the OIDC client of a Cluster. */
export function oidcClientName({ settings }: Pick<ClusterParts, "settings">, cluster: string): string {
  return settings.identity.clusterOidcClientIdTemplate.replaceAll("{cluster_name}", cluster);
}

async function applyPlatform(
  context: ClusterContext,
  parts: ClusterParts,
  realm: Stored<Realm>,
  services: Services,
): Promise<Stored<Platform>> {
  const { Platform } = parts.kinds;
  const template = parts.settings.identity.clusterPlatformNameTemplate;
  const name = template.replaceAll("{cluster_name}", context.object.metadata.name);
  await adoptOrphan(context, adopterOf(parts), Platform, name);
  return context.apply(Platform, {
    metadata: { name, labels: ownLabels(context, parts) },
    spec: platformSpec(realm, services),
  });
}

/** The spec of a Platform. It has no services if there are none: then the server drops those that it had. */
export function platformSpec(
  { metadata: { name: realmName } }: Stored<Realm>,
  services: Readonly<Record<string, Pick<ServiceStatus, "subdomain" | "fqdn">>>,
): Platform["spec"] {
  const entries = Object.entries(services).map(([service, { subdomain, fqdn }]) => [
    service,
    { subdomain, fqdn },
  ]);
  return { realmName, ...(entries.length > 0 && { zenithServices: Object.fromEntries(entries) }) };
}

/** What belongs to a Cluster has its labels, and says who manages it. The template is that of the Cluster alone. */
export function ownLabels(
  { object }: Pick<ClusterContext, "object">,
  { names }: Pick<ClusterParts, "names">,
): Readonly<Record<string, string>> {
  const { [names.templateLabel]: _, ...labels } = object.metadata.labels ?? {};
  return { ...labels, [managedByLabel]: managedBy };
}

/** A Cluster, as it adopts what belongs to it. */
export function adopterOf({ kinds, settings }: ClusterParts): Adopter<Cluster> {
  return { kind: kinds.Cluster, fieldOwner: settings.easykubeFieldManager };
}
