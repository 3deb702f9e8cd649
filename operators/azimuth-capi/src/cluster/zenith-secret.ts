import { controllerOf, find, mergePatch, type Stored } from "keelson";
import { Secret } from "keelson/kinds/core/v1";
import { ownerReferenceTo } from "keelson/object";
import { clusterLabel, namesOf, zenithFqdnAnnotation, zenithSubdomainAnnotation } from "../api/names.ts";
import type { EnabledZenith } from "../settings.ts";
import { makeKeypair } from "../zenith/keypair.ts";
import { RegistrarError, reserve } from "../zenith/registrar.ts";
import { ownLabels } from "./identity.ts";
import type { ClusterContext, ClusterParts } from "./parts.ts";

/** How the API server of a cluster is reached through Zenith. */
export interface ZenithReservation {
  readonly fqdn: string;
  /** The private key, in base64. */
  readonly privateKey: string;
}

const privateKeyName = "id_ed25519";
const publicKeyName = "id_ed25519.pub";

/**
 * The place of the API server of a cluster in Zenith: made once, and then the same for ever. The Secret with the keys is
 * created first, so that a crash does not lose the keys of a place that was reserved.
 */
export async function ensureReservation(
  context: ClusterContext,
  parts: ClusterParts,
  zenith: EnabledZenith,
): Promise<ZenithReservation> {
  const secret = await ensureSecret(context, parts);
  const reserved = reservationOf(secret);
  if (reserved !== undefined) return reserved;
  try {
    return await reserveFor(context, parts, zenith, secret);
  } catch (error) {
    if (!(error instanceof RegistrarError && error.isConflict)) throw error;
    return reserveFor(context, parts, zenith, await replaceKeys(context, parts, secret));
  }
}

function reservationOf({ metadata, data = {} }: Stored<Secret>): ZenithReservation | undefined {
  const fqdn = metadata.annotations?.[zenithFqdnAnnotation];
  const privateKey = data[privateKeyName];
  return fqdn === undefined || privateKey === undefined ? undefined : { fqdn, privateKey };
}

async function ensureSecret(context: ClusterContext, parts: ClusterParts): Promise<Stored<Secret>> {
  const { object, liveClient } = context;
  const { kinds, randomBytes, settings } = parts;
  const { namespace, name: cluster } = object.metadata;
  const key = { namespace, name: namesOf(cluster).zenithSecret };
  const labels = { ...ownLabels(context, parts), [clusterLabel]: cluster };
  const fieldOwner = settings.easykubeFieldManager;
  const owner = ownerReferenceTo(
    { resource: kinds.Cluster, object },
    { controller: true, blockOwnerDeletion: true },
  );
  const existing = await find(liveClient, Secret, key);
  if (existing === undefined) {
    const metadata = { ...key, labels, ownerReferences: [owner] };
    return liveClient.create(Secret, { metadata, data: newKeys(randomBytes) }, { fieldOwner });
  }
  const { labels: known = {}, ownerReferences = [], resourceVersion } = existing.metadata;
  const isLabelled = Object.entries(labels).every(([label, value]) => known[label] === value);
  // A backup that was restored has no owners.
  const isOwned = controllerOf(existing) !== undefined;
  if (isLabelled && isOwned) return existing;
  const adopted = { resourceVersion, ownerReferences: [...ownerReferences, owner] };
  const patch = mergePatch({ metadata: { labels, ...(!isOwned && adopted) } });
  return liveClient.patch(Secret, key, patch, { fieldOwner });
}

function newKeys(randomBytes: ClusterParts["randomBytes"]): Readonly<Record<string, string>> {
  const { privateKey, publicKey } = makeKeypair(randomBytes);
  return { [privateKeyName]: base64(privateKey), [publicKeyName]: base64(publicKey) };
}

function base64(text: string): string {
  return Buffer.from(text).toString("base64");
}

async function reserveFor(
  { clock, liveClient, signal }: ClusterContext,
  { fetch, settings }: ClusterParts,
  { registrarAdminUrl }: EnabledZenith,
  { metadata, data = {} }: Stored<Secret>,
): Promise<ZenithReservation> {
  const { namespace, name, resourceVersion } = metadata;
  const publicKey = Buffer.from(data[publicKeyName] ?? "", "base64").toString();
  const { subdomain, fqdn } = await reserve(registrarAdminUrl, publicKey, { fetch, clock }, signal);
  const annotations = { [zenithSubdomainAnnotation]: subdomain, [zenithFqdnAnnotation]: fqdn };
  // The place belongs to these keys: the server refuses the patch if they were replaced meanwhile.
  const patch = mergePatch({ metadata: { resourceVersion, annotations } });
  await liveClient.patch(Secret, { namespace, name }, patch, { fieldOwner: settings.easykubeFieldManager });
  return { fqdn, privateKey: data[privateKeyName] ?? "" };
}

/**
 * Other keys for a Cluster. A crash after the registrar's response has lost it, and the registrar does not repeat it: it
 * refuses a key that it knows, and no call returns the address of its place.
 */
async function replaceKeys(
  { log, liveClient }: ClusterContext,
  { randomBytes, settings }: ClusterParts,
  { metadata: { namespace, name, resourceVersion } }: Stored<Secret>,
): Promise<Stored<Secret>> {
  log.warn("the registrar knows the key of the Cluster already; it gets another one", { secret: name });
  const patch = mergePatch({ metadata: { resourceVersion }, data: newKeys(randomBytes) });
  return liveClient.patch(Secret, { namespace, name }, patch, { fieldOwner: settings.easykubeFieldManager });
}
