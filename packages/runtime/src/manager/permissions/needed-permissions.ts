import type { Client } from "@keelson/client";
import type { ApiUse } from "@keelson/core";
import type { Logger } from "../../logger.ts";
import { checkPermissions } from "./check-permissions.ts";
import { currentUser } from "./current-user.ts";
import { MissingPermissionsError } from "./errors.ts";
import { type NeededUse, neededUses } from "./needed-use.ts";

export interface NeededPermissionsOptions {
  readonly client: Client;
  /** What a permission that is missing does. */
  readonly mode: "fail" | "warn" | "off";
  /** What the roles are called that would grant what is missing. */
  readonly roleName: string;
  readonly log: Logger;
}

/** What everything in a process needs to be allowed. */
export class NeededPermissions {
  readonly #options: NeededPermissionsOptions;
  readonly #needed: NeededUse[] = [];

  constructor(options: NeededPermissionsOptions) {
    this.#options = options;
  }

  /** `neededBy` is for people, such as `controller webapp`. */
  add(neededBy: string, uses: readonly ApiUse[]): void {
    this.#needed.push(...neededUses(neededBy, uses));
  }

  /**
   * Throws a MissingPermissionsError that lists all that is missing, or logs it. A server that cannot say what is allowed
   * is taken at its word later.
   */
  async check(signal: AbortSignal): Promise<void> {
    const { client, mode, roleName, log } = this.#options;
    if (mode === "off") return;
    const { missing, unknown } = await checkPermissions(client, this.#needed, { signal });
    const [undecided] = unknown;
    if (undecided !== undefined)
      log.warn("the API server did not say whether everything that is needed is allowed", {
        unknown: unknown.length,
        error: undecided.error,
      });
    if (missing.length === 0) return;
    const user = await currentUser(client, signal);
    const uses = this.#needed.map(({ use }) => use);
    const error = new MissingPermissionsError(missing, { roleName, user, uses });
    if (mode === "fail") throw error;
    log.warn(error.message, { missing: missing.length });
  }
}
