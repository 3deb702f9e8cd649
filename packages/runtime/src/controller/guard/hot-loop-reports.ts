import type { FieldManager } from "./field-owners.ts";

/** A field that a key and another writer keep setting to different values. */
export interface PingPongReport {
  readonly controller: string;
  readonly keyText: string;
  /** Such as `Deployment shop/web`. */
  readonly object: string;
  /** Such as `spec.replicas`. */
  readonly field: string;
  /** How many times it was set back before this report; after the first report only those at the pace of a loop count. */
  readonly flips: number;
  /** The field manager of this controller's writes. */
  readonly ownManager: string;
  /** The other field managers that set it, the last writer first. Empty if they are unknown; then see `unknownBecause`. */
  readonly otherManagers: readonly FieldManager[];
  readonly unknownBecause?: string;
  /** How long the key is held now. */
  readonly holdMs: number;
}

/** An object that a key changes again and again and of which no other writer is known: its own writes trigger its runs. */
export interface SelfWokenReport {
  readonly controller: string;
  readonly keyText: string;
  /** Such as `WebApp shop/web`. */
  readonly object: string;
  /** What the last write changed, such as `status.checkedAt`; empty if that is unknown. */
  readonly fields: readonly string[];
  /** How many runs changed it within `windowMs`. */
  readonly runs: number;
  readonly windowMs: number;
  /** How long the key is held now. */
  readonly holdMs: number;
}

/** An object that a key creates, and that is deleted, again and again; or the other way round. */
export interface ReplacementReport {
  readonly controller: string;
  readonly keyText: string;
  /** Such as `Service shop/web`. */
  readonly object: string;
  /** What the key does to it. */
  readonly action: "creates" | "deletes";
  /** How many runs did so within `windowMs`. */
  readonly runs: number;
  readonly windowMs: number;
  /** How long the key is held now. */
  readonly holdMs: number;
}

/** The message of a ping-pong: what happens and what to do about it. */
export function describePingPong(report: PingPongReport): string {
  const { field, object, ownManager, otherManagers, unknownBecause } = report;
  const head = `field ${field} of ${object} flips between ${ownManager} and`;
  const others = [...new Set(otherManagers.map(({ manager }) => manager))].join(" and ");
  if (others !== "") {
    return `${head} ${others}; leave the field out of what ${ownManager} writes, or keep ${others} from setting it`;
  }
  if (unknownBecause !== undefined) {
    return `${head} an unknown writer (${unknownBecause}); see managedFields of the object for the manager that sets it`;
  }
  return (
    `${head} another writer of the same field manager name; let only one key or controller set it, and give each ` +
    "controller a field owner of its own"
  );
}

/** The message of a self-woken key: what happens and what to do about it. */
export function describeSelfWoken({ object, fields, runs, windowMs }: SelfWokenReport): string {
  const changed = fields.length === 0 ? "" : ` (${fields.join(", ")})`;
  return (
    `write ${object}: ${runs} runs within ${windowMs / 1000} s changed it${changed} and no other writer is known; ` +
    "a write that changes something triggers every controller that watches the object: write only what differs, leave " +
    "times and counters out, or ignore such changes with a predicate"
  );
}

/** The message of a replacement: what happens and what to do about it. */
export function describeReplacement({ object, action, runs, windowMs }: ReplacementReport): string {
  const within = `${runs} runs within ${windowMs / 1000} s`;
  if (action === "deletes")
    return (
      `delete ${object}: ${within} deleted it, and it was created again each time; find what creates it in the audit log ` +
      "of the API server: another controller, or another instance of this one?"
    );
  return (
    `create ${object}: ${within} created it again, because it was deleted each time; find what deletes it in the audit ` +
    "log of the API server: another controller, another instance of this one, or the garbage collector, which deletes " +
    "what has an owner that does not exist?"
  );
}

/** The message of no-op writes: what happens and what to do about it. The target is such as `deployments.apps shop/web`. */
export function describeNoopWrites(target: string, runs: number, windowMs: number): string {
  return (
    `write ${target}: ${runs} runs within ${windowMs / 1000} s wrote it and changed nothing; ` +
    "skip the write when nothing differs from the stored object, or run less often"
  );
}
