import { stripVTControlCharacters } from "node:util";
import { widthOf } from "./format.ts";

/** What of a terminal is needed to draw on it. */
export interface Screen {
  readonly columns?: number;
  readonly rows?: number;
  write(text: string): unknown;
}

const up = (count: number): string => (count === 0 ? "" : `\u001b[${count}A`);
const toLineStart = "\r";
const clearRestOfLine = "\u001b[K";
const clearBelow = "\u001b[J";
const hideCursor = "\u001b[?25l";
const showCursor = "\u001b[?25h";

/**
 * Draws lines at the end of what a terminal shows, each time in place of those before. A frame is one write, and the cursor
 * is hidden only within it: whatever ends the process leaves the terminal as it should be.
 */
export class Painter {
  readonly #screen: Screen;
  #painted: readonly string[] = [];
  #columns: number | undefined;

  constructor(screen: Screen) {
    this.#screen = screen;
  }

  /** Lines wider than the terminal, or more than it is high, would not be found again: they are the caller's to avoid. */
  paint(lines: readonly string[]): void {
    const { columns } = this.#screen;
    const isSame = columns === this.#columns && lines.join("\n") === this.#painted.join("\n");
    if (isSame) return;
    const drawn = lines.map((line) => `${line}${clearRestOfLine}\n`).join("");
    this.#screen.write(
      `${hideCursor}${up(this.#heightNow())}${toLineStart}${drawn}${clearBelow}${showCursor}`,
    );
    this.#painted = lines;
    this.#columns = columns;
  }

  /** Leaves what is painted where it is; what is painted next comes below. */
  leave(): void {
    this.#painted = [];
  }

  /** How many lines of the terminal what was painted takes now: one that was made narrower has wrapped it. */
  #heightNow(): number {
    const columns = this.#screen.columns || Number.POSITIVE_INFINITY;
    return this.#painted
      .map((line) => Math.max(1, Math.ceil(widthOf(stripVTControlCharacters(line)) / columns)))
      .reduce((sum, height) => sum + height, 0);
  }
}
