/** What is to be done at the end; whoever begins something adds how it ends. */
export type Endings = (() => Promise<void>)[];

/** What came last goes first. */
export async function endAll(endings: Endings): Promise<void> {
  for (const end of endings.toReversed()) await end();
}
