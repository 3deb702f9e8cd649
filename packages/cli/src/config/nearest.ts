/** The known word that differs least from the given one, unless they have little in common. */
export function nearest(given: string, known: readonly string[]): string | undefined {
  const lower = given.toLowerCase();
  const mostEdits = Math.max(1, Math.floor(given.length / 3));
  let best: { readonly word: string; readonly edits: number } | undefined;
  for (const word of known) {
    const edits = editsBetween(lower, word.toLowerCase());
    if (edits <= mostEdits && (best === undefined || edits < best.edits)) best = { word, edits };
  }
  return best?.word;
}

/** How many letters have to be inserted, removed or replaced to make one of the other. */
export function editsBetween(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, column) => column);
  for (const [index, letter] of [...one].entries()) {
    const next = [index + 1];
    for (let column = 1; column <= other.length; column++) {
      const replaced = (row[column - 1] ?? 0) + (other[column - 1] === letter ? 0 : 1);
      next.push(Math.min(replaced, (row[column] ?? 0) + 1, (next[column - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[other.length] ?? 0;
}
