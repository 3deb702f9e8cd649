import { type Client, find, formatKey, keyOf, metadataOnly, type Stored } from "keelson";
import { Secret } from "keelson/kinds/core/v1";
import type { PartialObjectMetadata } from "keelson/low-level";
import { HelmAccessError } from "./errors.ts";
import type { ReleaseKey } from "./helm.ts";
import { parseRelease, type ReleaseRevision, withStatus } from "./release-record.ts";

const SecretMetadata = metadataOnly(Secret);

/** A revision, and the Secret that it was read from. */
interface ReadRevision {
  readonly secret: Pick<Stored<Secret>["metadata"], "name" | "uid" | "resourceVersion">;
  readonly revision: ReleaseRevision;
}

/**
 * The releases as Helm stores them: a Secret for each revision, in the same form since Helm 3. Read without Helm, the question
 * whether anything differs costs one small request, and no process.
 */
export class Releases {
  readonly #client: Client | undefined;
  /** The newest revision of each release as it was last read. Holds no values, only their digests. */
  readonly #read = new Map<string, ReadRevision>();

  constructor(client: Client | undefined) {
    this.#client = client;
  }

  /** The newest revision; undefined if there is no such release. */
  async newest(release: ReleaseKey, signal: AbortSignal): Promise<ReleaseRevision | undefined> {
    const id = formatKey(release);
    const newest = await this.#newestSecret(release, signal);
    const known = this.#read.get(id);
    if (newest !== undefined && known !== undefined && isSame(known, newest)) return known.revision;
    const secret = newest && (await find(this.#clientFor(release), Secret, keyOf(newest), { signal }));
    if (secret !== undefined) return this.#remember(id, secret);
    this.#read.delete(id);
    return undefined;
  }

  /**
   * Marks the newest revision, as it was read, as failed. If a command began it and did not end it, Helm refuses any other
   * command; from a failed one the next upgrade goes on. Throws a ConflictError if the command still runs after all. Returns
   * the newest revision.
   */
  async markFailed(release: ReleaseKey, signal: AbortSignal): Promise<ReleaseRevision | undefined> {
    const id = formatKey(release);
    const client = this.#clientFor(release);
    const known = this.#read.get(id);
    if (known === undefined) return this.newest(release, signal);
    const key = { namespace: release.namespace, name: known.secret.name };
    const secret = await client.get(Secret, key, { signal });
    if (!isSame(known, secret)) return this.newest(release, signal);
    const status = "failed";
    const description = `its command ended during ${known.revision.status}`;
    const changed = await withStatus(secret.data?.release, nameOf(secret), { status, description });
    const { metadata, data } = secret;
    const labels = { ...metadata.labels, status };
    const failed = { ...secret, metadata: { ...metadata, labels }, data: { ...data, release: changed } };
    return this.#remember(id, await client.update(Secret, failed, { signal }));
  }

  async #remember(id: string, { metadata, data }: Stored<Secret>): Promise<ReleaseRevision> {
    const { name, uid, resourceVersion } = metadata;
    const revision = await parseRelease(data?.release, nameOf({ metadata }));
    this.#read.set(id, { secret: { name, uid, resourceVersion }, revision });
    return revision;
  }

  async #newestSecret(
    release: ReleaseKey,
    signal: AbortSignal,
  ): Promise<Stored<PartialObjectMetadata> | undefined> {
    const { namespace, name } = release;
    const labelSelector = { matchLabels: { owner: "helm", name } };
    const selection = { namespace, labelSelector, signal };
    const { items } = await this.#clientFor(release).list(SecretMetadata, selection);
    return items.toSorted((a, b) => versionOf(b) - versionOf(a))[0];
  }

  #clientFor(release: ReleaseKey): Client {
    if (this.#client !== undefined) return this.#client;
    throw new HelmAccessError(`read release ${formatKey(release)}: there is no client of the API server`);
  }
}

function isSame({ secret }: ReadRevision, { metadata: { uid, resourceVersion } }: Stored): boolean {
  return secret.uid === uid && secret.resourceVersion === resourceVersion;
}

function versionOf({ metadata: { labels } }: Stored<PartialObjectMetadata>): number {
  return Number(labels?.version ?? 0);
}

function nameOf({ metadata: { namespace, name } }: Pick<Stored, "metadata">): string {
  return `Secret ${namespace}/${name}`;
}
