/** The number of unchanged lines before and after a change. */
const context = 3;

type Edit = { readonly sign: " " | "-" | "+"; readonly line: string };

/** The changes from one text to another, as `diff -u` prints them, without the names of files. */
export function unifiedDiff(before: string, after: string): string {
  const edits = editsBetween(before.split("\n"), after.split("\n"));
  return hunksOf(edits)
    .map((hunk) => printHunk(edits, hunk))
    .join("");
}

/** The shortest edits, by the longest common subsequence of what differs between the common ends. */
function editsBetween(before: readonly string[], after: readonly string[]): readonly Edit[] {
  let head = 0;
  while (head < before.length && head < after.length && before[head] === after[head]) head += 1;
  let tail = 0;
  const most = Math.min(before.length, after.length) - head;
  while (tail < most && before[before.length - 1 - tail] === after[after.length - 1 - tail]) tail += 1;
  return [
    ...before.slice(0, head).map(kept),
    ...middleEdits(before.slice(head, before.length - tail), after.slice(head, after.length - tail)),
    ...before.slice(before.length - tail).map(kept),
  ];
}

function kept(line: string): Edit {
  return { sign: " ", line };
}

function middleEdits(before: readonly string[], after: readonly string[]): readonly Edit[] {
  const width = after.length + 1;
  const common = new Uint32Array((before.length + 1) * width);
  const at = (row: number, column: number): number => common[row * width + column] ?? 0;
  for (let row = before.length - 1; row >= 0; row -= 1) {
    for (let column = after.length - 1; column >= 0; column -= 1) {
      common[row * width + column] =
        before[row] === after[column]
          ? at(row + 1, column + 1) + 1
          : Math.max(at(row + 1, column), at(row, column + 1));
    }
  }
  const edits: Edit[] = [];
  let [row, column] = [0, 0];
  while (row < before.length || column < after.length) {
    const [old, added] = [before[row], after[column]];
    if (old !== undefined && old === added) {
      edits.push(kept(old));
      row += 1;
      column += 1;
    } else if (old !== undefined && (added === undefined || at(row + 1, column) >= at(row, column + 1))) {
      edits.push({ sign: "-", line: old });
      row += 1;
    } else if (added !== undefined) {
      edits.push({ sign: "+", line: added });
      column += 1;
    }
  }
  return edits;
}

/** Ranges of edits that are printed together: changes with their context lines. */
function hunksOf(edits: readonly Edit[]): readonly (readonly [number, number])[] {
  const hunks: [number, number][] = [];
  for (const [index, { sign }] of edits.entries()) {
    if (sign === " ") continue;
    const last = hunks.at(-1);
    const start = Math.max(0, index - context);
    const end = Math.min(edits.length, index + context + 1);
    if (last !== undefined && start <= last[1]) last[1] = end;
    else hunks.push([start, end]);
  }
  return hunks;
}

function printHunk(edits: readonly Edit[], [start, end]: readonly [number, number]): string {
  const shown = edits.slice(start, end);
  const [oldStart, oldLength] = [count(edits.slice(0, start), "+"), count(shown, "+")];
  const [newStart, newLength] = [count(edits.slice(0, start), "-"), count(shown, "-")];
  const title = `@@ -${range(oldStart, oldLength)} +${range(newStart, newLength)} @@\n`;
  return title + shown.map(({ sign, line }) => `${sign}${line}\n`).join("");
}

/** How many edits belong to the text that has no lines with the other sign. */
function count(edits: readonly Edit[], otherSign: "+" | "-"): number {
  return edits.filter(({ sign }) => sign !== otherSign).length;
}

function range(start: number, length: number): string {
  if (length === 1) return String(start + 1);
  return `${length === 0 ? start : start + 1},${length}`;
}
