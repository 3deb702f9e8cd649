import { ManagerError } from "../errors.ts";
import type { MissingPermission } from "./check-permissions.ts";
import { formatMissing, type Grant } from "./format-missing.ts";

/** The API server would refuse something that is needed, so nothing was started. The message lists all of it. */
export class MissingPermissionsError extends ManagerError {
  static override readonly brand: string = "keelson.MissingPermissionsError";
  readonly code = "MISSING_PERMISSIONS";
  readonly missing: readonly MissingPermission[];

  constructor(missing: readonly MissingPermission[], grant: Grant) {
    const count = missing.length === 1 ? "1 permission is" : `${missing.length} permissions are`;
    super(`start: ${count} missing; grant what is listed here\n\n${formatMissing(missing, grant)}`);
    this.missing = missing;
  }
}
