import { abortable } from "@keelson/core";
import type { Client } from "../client.ts";
import { NoKindMatchError } from "../errors.ts";
import type { DiscoveredResource } from "./api-resource-list.ts";
import { type DiscoveredGroup, discoverGroup } from "./discover.ts";

/** A kind to look for; without a version the one that the server prefers. */
export interface KindQuery {
  readonly group: string;
  readonly version?: string;
  readonly kind: string;
}

/**
 * Finds the resource of a kind that is known only by name. Groups are discovered when they are first needed and
 * cached; a kind that is not in the cache makes its group be discovered once more, so a CRD that was
 * installed later is found, and a group that has vanished is forgotten [CL4].
 */
export class RestMapper {
  readonly #client: Client;
  readonly #groups = new Map<string, DiscoveredGroup>();
  /** Requests under way, so that many callers that need the same group cause one request. */
  readonly #pending = new Map<string, Promise<DiscoveredGroup | undefined>>();

  constructor(client: Client) {
    this.#client = client;
  }

  /** Throws NoKindMatchError if the server does not serve the kind. */
  async resourceFor(
    query: KindQuery,
    { signal }: { readonly signal?: AbortSignal } = {},
  ): Promise<DiscoveredResource> {
    const known = find(this.#groups.get(query.group), query);
    if (known !== undefined) return known;
    const found = find(await this.#refresh(query.group, signal), query);
    if (found !== undefined) return found;
    throw new NoKindMatchError(query.group, query.version, query.kind);
  }

  /** The groups that are remembered. */
  get knownGroups(): readonly string[] {
    return [...this.#groups.keys()];
  }

  /** Many callers share one request, so the signal of a single caller does not end it, but only that caller's wait. */
  #refresh(group: string, signal: AbortSignal | undefined): Promise<DiscoveredGroup | undefined> {
    const underWay = this.#pending.get(group) ?? this.#discover(group);
    this.#pending.set(group, underWay);
    return abortable(underWay, signal);
  }

  async #discover(group: string): Promise<DiscoveredGroup | undefined> {
    try {
      const discovered = await discoverGroup(this.#client, group);
      if (discovered === undefined) this.#groups.delete(group);
      else this.#groups.set(group, discovered);
      return discovered;
    } finally {
      this.#pending.delete(group);
    }
  }
}

function find(
  group: DiscoveredGroup | undefined,
  { version, kind }: KindQuery,
): DiscoveredResource | undefined {
  const matches = group?.resources.filter((resource) => resource.kind === kind) ?? [];
  const wanted = version ?? group?.preferredVersion;
  const exact = matches.find((resource) => resource.version === wanted);
  // A kind may exist in another version than the one its group prefers.
  return exact ?? (version === undefined ? matches[0] : undefined);
}
