import type { Row } from "./row.ts";

/** What is shown of the samples at one moment. */
export interface View {
  readonly rows: readonly Row[];
  /** How far all are, in a line; empty if there is nothing to show. */
  readonly summary: string;
}

/** Where people see how the samples get on. */
export interface Display {
  /** Shows what is waited for, on a terminal only, until something else is shown. */
  await(what: string): void;
  /** Prints a text once; it stays above all that comes later. */
  print(text: string): void;
  /** From now on shows what this gives. */
  follow(look: () => View): void;
  /** Something in the view may have changed; it is looked at soon. */
  changed(): void;
  /** Something went wrong; its first line states what. */
  note(text: string): void;
  /** Shows the last view, and lets go of the stream. */
  end(): void;
}

/** Calls a function soon after it is scheduled; calls that are scheduled meanwhile are merged into one. */
export class Soon {
  readonly #call: () => void;
  readonly #delayMs: number;
  #timer: NodeJS.Timeout | undefined;

  constructor(delayMs: number, call: () => void) {
    this.#delayMs = delayMs;
    this.#call = call;
  }

  schedule(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#call();
    }, this.#delayMs);
  }

  cancel(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}
