import { type Client, find, NotFoundError, type ObjectContext, type Stored } from "keelson";
import { Secret } from "keelson/kinds/core/v1";
import { copyLabel, copyNameOf, fieldOwner, saltAnnotation, secretLabel } from "../api/names.ts";
import type { SharedSecret } from "../api/shared-secret.ts";
import { VersionedSecret } from "./versioned-secret.ts";

type CopyContext = Pick<ObjectContext<SharedSecret>, "object" | "client" | "liveClient">;

/**
 * Gives the namespaces of approved consumers copies of the Secret, since pods can only use Secrets of their own namespace,
 * and deletes the copies in all others. Returns why a namespace has none, by namespace.
 *
 * An owner in another namespace does not exist for the garbage collector, so a finalizer deletes them: `removeCopies`.
 */
export async function syncCopies(
  context: CopyContext,
  source: VersionedSecret,
  namespaces: ReadonlySet<string>,
): Promise<ReadonlyMap<string, string>> {
  const { object, client, liveClient } = context;
  const existing = await copiesOf(client, object);
  for (const copy of existing) if (!namespaces.has(copy.metadata.namespace)) await removeCopy(client, copy);
  const problems = new Map<string, string>();
  const versions = new Map(existing.map(({ metadata, version }) => [metadata.namespace, version]));
  const missing = [...namespaces].filter((namespace) => versions.get(namespace) !== source.version);
  if (missing.length === 0) return problems;
  const whole = await liveClient.get(Secret, source.metadata);
  for (const namespace of missing) {
    const problem = await writeCopy(context, whole, namespace);
    if (problem !== undefined) problems.set(namespace, problem);
  }
  return problems;
}

/** Deletes all copies of the Secret of a SharedSecret. */
export async function removeCopies({ object, client }: CopyContext): Promise<void> {
  for (const copy of await copiesOf(client, object)) await removeCopy(client, copy);
}

async function copiesOf(
  client: Client,
  { metadata: { namespace, name } }: Stored<SharedSecret>,
): Promise<readonly VersionedSecret[]> {
  const labelSelector = `${secretLabel}=${name},${copyLabel}=${namespace}`;
  return (await client.list(VersionedSecret, { labelSelector })).items;
}

/** Why the copy could not be written; undefined if it was. */
async function writeCopy(
  { object, client, liveClient }: CopyContext,
  { metadata, data = {} }: Stored<Secret>,
  namespace: string,
): Promise<string | undefined> {
  const name = copyNameOf(object.metadata);
  const labels = { [secretLabel]: object.metadata.name, [copyLabel]: object.metadata.namespace };
  const existing = await find(liveClient, Secret, { namespace, name });
  if (existing !== undefined && existing.metadata.labels?.[copyLabel] !== labels[copyLabel])
    return `Secret ${namespace}/${name} exists and is not a copy; delete or rename it`;
  const annotations = { [saltAnnotation]: metadata.annotations?.[saltAnnotation] ?? "" };
  try {
    await client.apply(
      Secret,
      { metadata: { namespace, name, labels, annotations }, type: "Opaque", data },
      { fieldOwner, force: true },
    );
    return undefined;
  } catch (error) {
    if (error instanceof NotFoundError) return `namespace ${namespace} does not exist`;
    throw error;
  }
}

async function removeCopy(client: Client, { metadata }: VersionedSecret): Promise<void> {
  try {
    await client.delete(Secret, metadata, { preconditions: { uid: metadata.uid } });
  } catch (error) {
    if (!(error instanceof NotFoundError)) throw error;
  }
}
