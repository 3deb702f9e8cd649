import { EventEmitter } from "node:events";

/** A line as it was written, and whether it goes on in the next one because it was too long. */
interface Line {
  readonly text: string;
  readonly isWrapped: boolean;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: they steer terminals
const steps = /\u001b\[(\??\d*)([A-Za-z])|\r|\n|[^\u001b\r\n]/gu;

/** A terminal that understands what a Painter writes, and throws if it is steered by anything else. */
export class FakeTerminal extends EventEmitter {
  readonly isTTY: boolean = true;
  columns: number;
  rows: number;
  isCursorShown = true;
  /** How often something was written to it. */
  writes = 0;
  #lines: Line[] = [{ text: "", isWrapped: false }];
  #row = 0;
  #column = 0;

  constructor(columns: number, rows: number) {
    super();
    this.columns = columns;
    this.rows = rows;
  }

  /** What it shows and what has scrolled away above, without colours. */
  get lines(): readonly string[] {
    return this.#lines.map(({ text }) => text);
  }

  write(text: string): void {
    this.writes++;
    for (const [step, parameter = "", command] of text.matchAll(steps)) {
      if (command !== undefined) this.#steer(parameter, command);
      else if (step === "\r") this.#column = 0;
      else if (step === "\n") this.#down(false);
      else this.#put(step);
    }
  }

  /** Lines that no longer fit are wrapped, as most terminals do. The cursor stays at the end. */
  resize(columns: number, rows: number): void {
    this.columns = columns;
    this.rows = rows;
    const whole = this.#lines.map(({ text }) => text);
    this.#lines = whole.flatMap((text) => {
      const parts = text.match(new RegExp(`.{1,${columns}}`, "gu")) ?? [""];
      return parts.map((part, index) => ({ text: part, isWrapped: index < parts.length - 1 }));
    });
    this.#row = this.#lines.length - 1;
    this.emit("resize");
  }

  #put(character: string): void {
    if (this.#column === this.columns) this.#down(true);
    const { text } = this.#lines[this.#row] ?? { text: "" };
    const kept = text.slice(0, this.#column).padEnd(this.#column);
    this.#lines[this.#row] = { text: kept + character + text.slice(this.#column + 1), isWrapped: false };
    this.#column++;
  }

  #down(isWrapped: boolean): void {
    const { text } = this.#lines[this.#row] ?? { text: "" };
    this.#lines[this.#row] = { text, isWrapped };
    this.#row++;
    this.#column = 0;
    this.#lines[this.#row] ??= { text: "", isWrapped: false };
  }

  #steer(parameter: string, command: string): void {
    const { text } = this.#lines[this.#row] ?? { text: "" };
    if (command === "A") {
      const top = Math.max(0, this.#lines.length - this.rows);
      if (this.#row - Number(parameter) < top)
        throw new Error("the cursor would leave the screen at its top");
      this.#row -= Number(parameter);
    } else if (command === "K") {
      this.#lines[this.#row] = { text: text.slice(0, this.#column), isWrapped: false };
    } else if (command === "J") {
      this.#lines[this.#row] = { text: text.slice(0, this.#column), isWrapped: false };
      this.#lines.length = this.#row + 1;
    } else if (parameter === "?25") this.isCursorShown = command === "h";
    else if (command !== "m") throw new Error(`it does not know ${parameter}${command}`);
  }
}
