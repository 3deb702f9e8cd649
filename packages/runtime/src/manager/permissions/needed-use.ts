import type { ApiUse } from "@keelson/core";

/** A use of the API that something cannot do without. */
export interface NeededUse {
  readonly use: ApiUse;
  /** Who needs it, for people, such as `controller webapp`. */
  readonly neededBy: string;
}

export function neededUses(neededBy: string, uses: readonly ApiUse[]): readonly NeededUse[] {
  return uses.map((use) => ({ use, neededBy }));
}
