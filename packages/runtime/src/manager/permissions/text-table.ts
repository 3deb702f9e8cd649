/**
 * Rows as a table of left-aligned columns, at most `width` wide. A column is as wide as its longest cell; if the table
 * would be too wide, the widest columns become narrower and their cells wrap.
 */
export function textTable(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  width: number,
): string {
  const all = [head, ...rows];
  const widths = narrowed(
    head.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0))),
    width - gap.length * (head.length - 1),
  );
  return all.flatMap((row) => linesOf(row, widths)).join("\n");
}

const gap = "  ";
/** A narrower column would be unreadable. */
const minColumnWidth = 8;

function narrowed(natural: readonly number[], total: number): readonly number[] {
  const widths = [...natural];
  for (let excess = sum(widths) - total; excess > 0; excess--) {
    const widest = Math.max(...widths);
    if (widest <= minColumnWidth) break;
    widths[widths.indexOf(widest)] = widest - 1;
  }
  return widths;
}

function linesOf(row: readonly string[], widths: readonly number[]): readonly string[] {
  const cells = row.map((text, column) => wrapText(text, widths[column] ?? text.length));
  const height = Math.max(...cells.map(({ length }) => length));
  return Array.from({ length: height }, (_, line) =>
    cells
      .map((cell, column) => (cell[line] ?? "").padEnd(widths[column] ?? 0))
      .join(gap)
      .trimEnd(),
  );
}

/** The text in lines of at most `width`. Breaks after spaces and commas, and in the middle of a word that is longer than a line. */
export function wrapText(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.match(/[^ ,]+,? ?/g) ?? []) {
    if (line !== "" && (line + word).trimEnd().length > width) {
      lines.push(line.trimEnd());
      line = "";
    }
    line += word;
    while (line.trimEnd().length > width) {
      lines.push(line.slice(0, width));
      line = line.slice(width);
    }
  }
  return [...lines, line.trimEnd()];
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
