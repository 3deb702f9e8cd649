import {
  type Client,
  controllerOf,
  ForeignObjectError,
  find,
  isControlledBy,
  mergePatch,
  type ObjectContext,
  type Stored,
} from "keelson";
import { Secret } from "keelson/kinds/core/v1";
import type { RandomBytes } from "keelson/low-level";
import { ownerReferenceTo } from "keelson/object";
import { fieldOwner, saltAnnotation, secretLabel, secretNameOf } from "../api/names.ts";
import { SharedSecret } from "../api/shared-secret.ts";
import { VersionedSecret } from "./versioned-secret.ts";

const saltBytes = 32;

/**
 * The Secret of a SharedSecret, which it owns. It is created with an empty value; its content is never changed here. A salt or
 * a label that a user removed is added again, and the Secret of an earlier SharedSecret of the name is adopted.
 *
 * Throws a ForeignObjectError if a Secret of that name exists that the SharedSecret does not control.
 */
export async function ensureSecret(
  context: Pick<ObjectContext<SharedSecret>, "object" | "client" | "liveClient">,
  randomBytes: RandomBytes,
): Promise<VersionedSecret> {
  const { object: owner, client, liveClient } = context;
  const { namespace, name } = owner.metadata;
  const key = { namespace, name: secretNameOf(name) };
  const cached = await find(client, VersionedSecret, key);
  if (cached !== undefined && isControlledBy(cached, owner) && cached.version !== undefined) return cached;
  // The cache has no Secrets without the label.
  const existing = await find(liveClient, Secret, key);
  if (existing === undefined) {
    await createSecret(client, owner, newSalt(randomBytes));
  } else {
    if (!isControlledBy(existing, owner) && !isOrphan(existing, owner.metadata.name))
      throw new ForeignObjectError(Secret, existing, controllerOf(existing));
    await repairSecret(client, existing, owner, randomBytes);
  }
  return liveClient.get(VersionedSecret, key);
}

async function createSecret(client: Client, owner: Stored<SharedSecret>, salt: string): Promise<void> {
  const { namespace, name } = owner.metadata;
  const reference = ownerReferenceTo({ resource: SharedSecret, object: owner }, { controller: true });
  await client.create(
    Secret,
    {
      metadata: {
        ...{ namespace, name: secretNameOf(name) },
        labels: { [secretLabel]: name },
        annotations: { [saltAnnotation]: salt },
        ownerReferences: [reference],
      },
      type: "Opaque",
      data: { value: "" },
    },
    { fieldOwner },
  );
}

/** Left behind by an earlier SharedSecret of the name, which was deleted without what it owned. Its value is still in use. */
function isOrphan(secret: Stored<Secret>, sharedSecret: string): boolean {
  const { labels, deletionTimestamp } = secret.metadata;
  const isFree = controllerOf(secret) === undefined && deletionTimestamp === undefined;
  return isFree && labels?.[secretLabel] === sharedSecret;
}

async function repairSecret(
  client: Client,
  { metadata }: Stored<Secret>,
  owner: Stored<SharedSecret>,
  randomBytes: RandomBytes,
): Promise<void> {
  const { namespace, name, uid, resourceVersion, annotations } = metadata;
  const salt = annotations?.[saltAnnotation] ?? newSalt(randomBytes);
  const labels = { [secretLabel]: owner.metadata.name };
  const ownerReferences = [ownerReferenceTo({ resource: SharedSecret, object: owner }, { controller: true })];
  await client.patch(
    Secret,
    { namespace, name },
    mergePatch({
      metadata: { uid, resourceVersion, labels, annotations: { [saltAnnotation]: salt }, ownerReferences },
    }),
    { fieldOwner },
  );
}

function newSalt(randomBytes: RandomBytes): string {
  return Buffer.from(randomBytes(saltBytes)).toString("base64url");
}
