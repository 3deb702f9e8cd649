/** Where the embedded server is known to differ from the real one, and why that is accepted. */
export interface KnownDifference {
  /** The title of the group and the name of the case, as the test prints them: `lists: a list comes in pages`. */
  readonly case: string;
  readonly reason: string;
}

export const knownDifferences: readonly KnownDifference[] = [];
