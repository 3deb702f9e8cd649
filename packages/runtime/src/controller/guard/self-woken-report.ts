/** An object that a key changes again and again while nobody else writes it. */
export interface SelfWokenReport {
  readonly controller: string;
  readonly keyText: string;
  /** Such as `WebApp shop/web`. */
  readonly object: string;
  /** What the last write changed, such as `status.checkedAt`. */
  readonly fields: readonly string[];
  /** So many runs did it within `windowMs`. */
  readonly runs: number;
  readonly windowMs: number;
  /** How long the key is held now. */
  readonly holdMs: number;
}

/** What happened and what to do about it. */
export function describeSelfWoken({ object, fields, runs, windowMs }: SelfWokenReport): string {
  return (
    `write ${object}: ${runs} runs within ${windowMs / 1000} s changed it (${fields.join(", ")}) and nobody else did; ` +
    "a write that changes something wakes whoever watches the object: write only what differs, leave times and " +
    "counters out, or ignore such changes with a predicate"
  );
}
