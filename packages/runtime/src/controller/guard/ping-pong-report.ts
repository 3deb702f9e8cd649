import type { FieldManager } from "./managed-field-owners.ts";

/** A field that a key and somebody else keep setting to different values. */
export interface PingPongReport {
  readonly controller: string;
  readonly keyText: string;
  /** Such as `Deployment shop/web`. */
  readonly object: string;
  /** Such as `spec.replicas`. */
  readonly field: string;
  /** How many times it was set back before this report; after the first one only those at the speed of a loop count. */
  readonly flips: number;
  /** What this controller's writes are known as. */
  readonly ownManager: string;
  /** Who else writes it, the last one first. Empty if that cannot be told; `unknownBecause` says why. */
  readonly otherManagers: readonly FieldManager[];
  readonly unknownBecause?: string;
  /** How long the key is held now. */
  readonly holdMs: number;
}

/** What happened and what to do about it. */
export function describePingPong(report: PingPongReport): string {
  const { field, object, ownManager, otherManagers, unknownBecause } = report;
  const head = `field ${field} of ${object} flips between ${ownManager} and`;
  const others = [...new Set(otherManagers.map(({ manager }) => manager))].join(" and ");
  if (others !== "") {
    return `${head} ${others}; leave the field out of what ${ownManager} writes, or keep ${others} from setting it`;
  }
  if (unknownBecause !== undefined) {
    return `${head} somebody unknown (${unknownBecause}); see managedFields of the object for who sets it`;
  }
  return (
    `${head} another writer of the same field manager name; let only one key or controller set it, and give each ` +
    "controller a field owner of its own"
  );
}
