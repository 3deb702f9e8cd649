import type { Client } from "@keelson/client";
import type { ApiUse, ObjectKey } from "@keelson/core";
import { namespacesOf } from "../../cache/cache-settings.ts";
import type { Logger } from "../../logger.ts";
import type { Source, WatchedObjects } from "../../source/source.ts";
import type { ManagerOptions } from "../manager-options.ts";
import { checkPermissions, currentUser } from "./check-permissions.ts";
import { MissingPermissionsError } from "./missing-permissions.ts";
import { narrowUses } from "./narrow-uses.ts";
import { eventUses, leaseUses, type NeededUse, neededUses, usesOfSources } from "./needed-uses.ts";
import { discoverScopes, type ScopeOf, scopesOfResources } from "./resource-scopes.ts";

export interface PermissionDependencies {
  readonly client: Client;
  readonly log: Logger;
}

/** The parts of a manager whose uses are known only when it starts. */
export interface LateUses {
  /** Undefined if there is no election. */
  readonly lease: ObjectKey | undefined;
  readonly webhooks: readonly ApiUse[];
}

/** The uses of the API by all parts of a manager. They are collected until the manager starts, and checked then. */
export class ManagerPermissions {
  readonly #options: ManagerOptions;
  readonly #dependencies: PermissionDependencies;
  readonly #needed: NeededUse[] = [];
  readonly #watched: WatchedObjects[] = [];

  constructor(options: ManagerOptions, dependencies: PermissionDependencies) {
    this.#options = options;
    this.#dependencies = dependencies;
  }

  /** Adds uses; `neededBy` names the part in the report, such as `operator webapp`. */
  add(neededBy: string, uses: readonly ApiUse[]): void {
    this.#needed.push(...neededUses(neededBy, uses));
  }

  /** Adds the watches of a controller. */
  addSources<Key>(controller: string, sources: readonly Source<Key>[]): void {
    this.#watched.push(...sources.flatMap(({ watches }) => watches ?? []));
    this.add(`controller ${controller}`, usesOfSources(sources, this.#options.cache));
  }

  /**
   * Throws a MissingPermissionsError that lists all that is missing, or logs it, as `permissionCheck` chooses. A use whose
   * review fails is assumed to be allowed: if it is not, its first call fails.
   */
  async check(late: LateUses, signal: AbortSignal): Promise<void> {
    const { permissionCheck: mode = "fail", name: roleName = "keelson" } = this.#options;
    const { client, log } = this.#dependencies;
    if (mode === "off") return;
    const declared = this.#allNeeded(late);
    const scopeOf = await this.#scopesOf(declared, signal);
    const needed = narrowUses(declared, this.#options.cache, scopeOf);
    const { missing, unknown } = await checkPermissions(client, needed, { signal });
    const [undecided] = unknown;
    if (undecided !== undefined)
      log.warn("the API server did not report for every needed use whether it is allowed", {
        unknown: unknown.length,
        error: undecided.error,
      });
    if (missing.length === 0) return;
    const user = await currentUser(client, signal);
    const uses = needed.map(({ use }) => use);
    const error = new MissingPermissionsError(missing, { roleName, user, uses, scopeOf });
    if (mode === "fail") throw error;
    log.warn(error.message, { missing: missing.length });
  }

  /** Scopes matter only if the manager is limited to some namespaces. */
  async #scopesOf(needed: readonly NeededUse[], signal: AbortSignal): Promise<ScopeOf> {
    const { client, log } = this.#dependencies;
    if (namespacesOf(this.#options.cache) === undefined) return () => undefined;
    const known = scopesOfResources(this.#watched.map(({ resource }) => resource));
    const areKnown = needed.every(
      ({ use }) => "nonResourceUrl" in use || use.namespace !== undefined || known(use) !== undefined,
    );
    return areKnown ? known : discoverScopes(client, known, log, signal);
  }

  #allNeeded({ lease, webhooks }: LateUses): readonly NeededUse[] {
    const { events, cache: settings } = this.#options;
    const subjects = { settings, watched: this.#watched, lease };
    return [
      ...neededUses("events", events === undefined ? [] : eventUses(subjects)),
      ...neededUses("leader election", lease === undefined ? [] : leaseUses(lease)),
      ...this.#needed,
      ...neededUses("webhooks", webhooks),
    ];
  }
}
