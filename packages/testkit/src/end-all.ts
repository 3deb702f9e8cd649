/** Functions to call at the end, one for each part that was started. */
export type Endings = (() => Promise<void>)[];

/** What came last goes first. What fails keeps nothing else from ending; it is thrown when all has ended. */
export async function endAll(endings: Endings): Promise<void> {
  const failures: unknown[] = [];
  for (const end of endings.toReversed()) {
    try {
      await end();
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 1) throw new AggregateError(failures, failures.map(String).join("\n"));
  for (const failure of failures) throw failure;
}
