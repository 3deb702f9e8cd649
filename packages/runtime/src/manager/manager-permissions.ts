import type { Client } from "@keelson/client";
import type { ApiUse, ObjectKey } from "@keelson/core";
import type { Logger } from "../logger.ts";
import type { Source, WatchedObjects } from "../source/source.ts";
import type { ManagerOptions } from "./manager-options.ts";
import { eventUses, leaseUses } from "./permissions/manager-uses.ts";
import { demandPermissions } from "./permissions/needed-permissions.ts";
import { type NeededUse, neededUses } from "./permissions/needed-use.ts";
import { usesOfSources } from "./permissions/watch-uses.ts";

export interface PermissionEnvironment {
  readonly client: Client;
  readonly log: Logger;
}

/** What of a manager is known only when it starts. */
export interface PermissionParts {
  /** Undefined if there is no election. */
  readonly lease: ObjectKey | undefined;
  readonly webhooks: readonly ApiUse[];
}

/** What everything in a manager needs to be allowed. It is gathered until the manager starts. */
export class ManagerPermissions {
  readonly #options: ManagerOptions;
  readonly #environment: PermissionEnvironment;
  readonly #needed: NeededUse[] = [];
  readonly #watched: WatchedObjects[] = [];

  constructor(options: ManagerOptions, environment: PermissionEnvironment) {
    this.#options = options;
    this.#environment = environment;
  }

  /** `neededBy` is for people, such as `operator webapp`. */
  add(neededBy: string, uses: readonly ApiUse[]): void {
    this.#needed.push(...neededUses(neededBy, uses));
  }

  /** Adds what a controller watches. */
  addSources<Key>(controller: string, sources: readonly Source<Key>[]): void {
    this.#watched.push(...sources.flatMap(({ watches }) => watches ?? []));
    this.add(`controller ${controller}`, usesOfSources(sources, this.#options.cache));
  }

  /** Throws a MissingPermissionsError that lists all that is missing, or logs it, as the options say. */
  async check({ lease, webhooks }: PermissionParts, signal: AbortSignal): Promise<void> {
    const { permissionCheck: mode = "fail", name: roleName = "keelson", events, cache } = this.#options;
    const places = { settings: cache, watched: this.#watched, lease };
    const needed = [
      ...neededUses("events", events === undefined ? [] : eventUses(places)),
      ...neededUses("leader election", lease === undefined ? [] : leaseUses(lease)),
      ...this.#needed,
      ...neededUses("webhooks", webhooks),
    ];
    await demandPermissions(needed, { ...this.#environment, mode, roleName, signal });
  }
}
