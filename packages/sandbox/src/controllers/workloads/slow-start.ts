/**
 * Does something several times, first once, then twice as often at once and so on, and stops after a batch in which
 * something failed, so that what is sure to fail is not tried a thousand times. Throws the first error of that batch.
 */
export async function slowStart(count: number, act: (index: number) => Promise<void>): Promise<void> {
  let begun = 0;
  for (let size = 1; begun < count; size *= 2) {
    const batch = Array.from({ length: Math.min(size, count - begun) }, (_, offset) => act(begun + offset));
    begun += batch.length;
    const outcomes = await Promise.allSettled(batch);
    const failure = outcomes.find((outcome) => outcome.status === "rejected");
    if (failure !== undefined) throw failure.reason;
  }
}
