import { fitted, formatAge, oneLine, shorten, widthOf } from "./format.ts";
import type { LastEvent, Row } from "./row.ts";

export type Color = "green" | "yellow" | "red" | "dim";

/** Colours a text, or leaves it as it is. */
export type Paint = (color: Color, text: string) => string;

interface TableSpace {
  readonly columns: number;
  /** How many lines there are for it; fewer rows are shown if it has more. */
  readonly lines: number;
}

export interface TableOptions extends TableSpace {
  readonly nowMs: number;
  readonly paint: Paint;
}

interface Cell {
  readonly text: string;
  readonly color?: Color;
}

interface Column {
  readonly title: string;
  /** What its texts may take at most; the last column takes what is left. */
  readonly most: number;
  readonly cell: (row: Row, nowMs: number) => Cell;
}

const gap = "  ";
/** As wide as the columns before it may make it. */
const leastLast = 12;

const columns: readonly Column[] = [
  { title: "NAMESPACE", most: 16, cell: ({ namespace }) => ({ text: namespace ?? "" }) },
  { title: "SAMPLE", most: 32, cell: ({ title }) => ({ text: title }) },
  { title: "PHASE", most: 20, cell: (row) => ({ text: row.phase, color: colorOf(row) }) },
  { title: "READY", most: 7, cell: ({ ready }) => ({ text: ready ?? "-" }) },
  {
    title: "AGE",
    most: 5,
    cell: ({ createdMs }, nowMs) => ({ text: createdMs === undefined ? "-" : formatAge(nowMs - createdMs) }),
  },
  { title: "LAST EVENT", most: Number.POSITIVE_INFINITY, cell: ({ event }) => eventCell(event) },
];

/**
 * The table, a line for each row, none of them wider than there is space. If there are too many rows, those that are not
 * settled are kept first, and a line shows how many are left out.
 */
export function tableLines(rows: readonly Row[], options: TableOptions): readonly string[] {
  const { lines, nowMs, paint } = options;
  const shown = rowsThatFit(rows, Math.max(1, lines - 1));
  const isScattered = rows.some(({ namespace = "default" }) => namespace !== "default");
  const used = columns.filter(({ title }) => isScattered || title !== "NAMESPACE");
  const cells = shown.map((row) => used.map(({ cell }) => cleanCell(cell(row, nowMs))));
  const widths = columnWidths(used, cells, options.columns);
  const head = joined(
    used.map(({ title }) => ({ text: title, color: "dim" })),
    widths,
    paint,
  );
  const left = rows.length - shown.length;
  const rest = left === 0 ? [] : [paint("dim", shorten(`… and ${left} more`, options.columns))];
  return [head, ...cells.map((each) => joined(each, widths, paint)), ...rest];
}

function rowsThatFit(rows: readonly Row[], most: number): readonly Row[] {
  if (rows.length <= most) return rows;
  const urgent = rows.toSorted((left, right) => Number(left.isSettled) - Number(right.isSettled));
  // One line is for how many are missing.
  const chosen = new Set(urgent.slice(0, Math.max(0, most - 1)));
  return rows.filter((row) => chosen.has(row));
}

/** What the texts take, within what each column may take and the screen has. */
function columnWidths(
  used: readonly Column[],
  cells: readonly (readonly Cell[])[],
  available: number,
): readonly number[] {
  const widths = used.map(({ title, most }, index) =>
    Math.min(most, Math.max(widthOf(title), ...cells.map((row) => widthOf(row[index]?.text ?? "")))),
  );
  const before = widths.slice(0, -1);
  const gaps = gap.length * before.length;
  let excess = sum(before) + gaps + leastLast - available;
  // On a narrow screen the widest column is shortened first.
  while (excess > 0) {
    const widest = before.indexOf(Math.max(...before));
    const width = before[widest] ?? 0;
    if (width <= 4) break;
    before[widest] = width - 1;
    excess -= 1;
  }
  return [...before, Math.max(0, available - sum(before) - gaps)];
}

function joined(cells: readonly Cell[], widths: readonly number[], paint: Paint): string {
  return cells
    .map(({ text, color }, index) => {
      const width = widths[index] ?? 0;
      const fit = index === cells.length - 1 ? shorten(text, width) : fitted(text, width);
      return color === undefined || fit.trim() === "" ? fit : paint(color, fit);
    })
    .join(gap)
    .trimEnd();
}

function cleanCell({ text, color }: Cell): Cell {
  return { text: oneLine(text), ...(color !== undefined && { color }) };
}

function colorOf({ isSettled, problem }: Row): Color {
  if (problem !== undefined) return "red";
  return isSettled ? "green" : "yellow";
}

function eventCell(event: LastEvent | undefined): Cell {
  if (event === undefined) return { text: "" };
  const text = `${event.reason}: ${event.message}`;
  return event.isWarning ? { text, color: "yellow" } : { text };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}
