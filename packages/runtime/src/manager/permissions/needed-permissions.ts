import type { Client } from "@keelson/client";
import type { Logger } from "../../logger.ts";
import { checkPermissions } from "./check-permissions.ts";
import { currentUser } from "./current-user.ts";
import { MissingPermissionsError } from "./errors.ts";
import type { NeededUse } from "./needed-use.ts";

export interface DemandOptions {
  readonly client: Client;
  /** What a permission that is missing does. */
  readonly mode: "fail" | "warn" | "off";
  /** What the roles are called that would grant what is missing. */
  readonly roleName: string;
  readonly log: Logger;
  readonly signal: AbortSignal;
}

/**
 * Throws a MissingPermissionsError that lists all that is missing, or logs it. A server that cannot say what is allowed
 * is taken at its word later.
 */
export async function demandPermissions(
  needed: readonly NeededUse[],
  { client, mode, roleName, log, signal }: DemandOptions,
): Promise<void> {
  if (mode === "off") return;
  const { missing, unknown } = await checkPermissions(client, needed, { signal });
  const [undecided] = unknown;
  if (undecided !== undefined)
    log.warn("the API server did not say whether everything that is needed is allowed", {
      unknown: unknown.length,
      error: undecided.error,
    });
  if (missing.length === 0) return;
  const user = await currentUser(client, signal);
  const uses = needed.map(({ use }) => use);
  const error = new MissingPermissionsError(missing, { roleName, user, uses });
  if (mode === "fail") throw error;
  log.warn(error.message, { missing: missing.length });
}
