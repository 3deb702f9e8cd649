import { type Display, Soon, type View } from "./display.ts";
import { oneLine, shorten } from "./format.ts";
import { Painter, type Screen } from "./painter.ts";
import { titleOf } from "./plain-display.ts";
import type { Row } from "./row.ts";
import { type Color, type Paint, tableLines } from "./table.ts";

export interface Terminal extends Screen {
  on(event: "resize", listener: () => void): unknown;
  off(event: "resize", listener: () => void): unknown;
}

export interface TerminalOptions {
  readonly terminal: Terminal;
  readonly hasColors: boolean;
  readonly nowMs: () => number;
}

const patienceMs = 50;
/** Ages are shown in seconds. */
const tickMs = 1_000;
/** A table is drawn even on a terminal that is too low for it. */
const leastLines = 6;
const mostProblems = 2;
const mostNotes = 2;

const codes: Readonly<Record<Color, number>> = { green: 32, yellow: 33, red: 31, dim: 2 };
const inColor: Paint = (color, text) => `\u001b[${codes[color]}m${text}\u001b[0m`;
const asItIs: Paint = (_, text) => text;

/** A table that is drawn in place, with problems and the last warnings below it. */
export function terminalDisplay({ terminal, hasColors, nowMs }: TerminalOptions): Display {
  const painter = new Painter(terminal);
  const paint = hasColors ? inColor : asItIs;
  let notes: readonly string[] = [];
  let look: (() => View) | undefined;
  const draw = (): void => {
    if (look === undefined) return;
    const { columns, rows } = terminal;
    painter.paint(
      frameOf(look(), notes, { columns: columns || 80, lines: rows || 24, nowMs: nowMs(), paint }),
    );
  };
  const soon = new Soon(patienceMs, draw);
  let ticking: NodeJS.Timeout | undefined;
  const end = (): void => {
    soon.cancel();
    clearInterval(ticking);
    terminal.off("resize", draw);
    if (look === undefined) painter.paint([]);
    else draw();
    painter.leave();
    look = undefined;
  };
  const print = (text: string): void => {
    painter.paint([]);
    terminal.write(text);
  };
  return {
    await: (what) => painter.paint([paint("dim", shorten(what, terminal.columns || 80))]),
    print,
    follow: (from) => {
      look = from;
      ticking = setInterval(draw, tickMs);
      terminal.on("resize", draw);
      draw();
    },
    changed: () => soon.schedule(),
    note: (text) => {
      const line = oneLine(text.split("\n", 1)[0] ?? "");
      // Before and after the table, there is nothing that a line could tear.
      if (look === undefined) return print(`${line}\n`);
      notes = [...notes, line].slice(-mostNotes);
      soon.schedule();
    },
    end,
  };
}

interface FrameOptions {
  readonly columns: number;
  readonly lines: number;
  readonly nowMs: number;
  readonly paint: Paint;
}

/** All lines, none of them wider than the terminal and together less than it is high: the cursor stands below. */
function frameOf(
  { rows, summary }: View,
  notes: readonly string[],
  { columns, lines, nowMs, paint }: FrameOptions,
): readonly string[] {
  const painted = (color: Color, text: string): string => paint(color, shorten(oneLine(text), columns));
  const summaryColor = rows.every(({ isSettled }) => isSettled) ? "green" : "dim";
  const below = [
    ...(summary === "" ? [] : [painted(summaryColor, summary)]),
    ...problemLines(rows).map((line) => painted("red", line)),
    ...notes.map((line) => painted("yellow", line)),
  ];
  const space = Math.max(lines, leastLines) - 1;
  const belowShown = below.slice(0, Math.max(1, space - 3));
  const forTable = space - belowShown.length - 1;
  const table = rows.length === 0 ? [] : tableLines(rows, { columns, lines: forTable, nowMs, paint });
  return [...table, ...(table.length > 0 && belowShown.length > 0 ? [""] : []), ...belowShown];
}

function problemLines(rows: readonly Row[]): readonly string[] {
  const troubled = rows.filter(({ problem }) => problem !== undefined);
  const shown = troubled.slice(0, mostProblems).map((row) => `${titleOf(row)}: ${row.problem}`);
  return troubled.length <= mostProblems
    ? shown
    : [...shown, `and ${troubled.length - mostProblems} more problems`];
}
