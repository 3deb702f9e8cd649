import type { Row } from "./row.ts";

/** What is shown of the samples at one moment. */
export interface View {
  readonly rows: readonly Row[];
  /** How far all are, in a line; empty if there is nothing to say. */
  readonly summary: string;
}

/** Where people see how the samples get on. */
export interface Display {
  /** Says what is waited for, to people only; it goes when anything else is said. */
  await(what: string): void;
  /** Says something once; it stays above all that comes later. */
  print(text: string): void;
  /** From now on shows what this gives. */
  follow(look: () => View): void;
  /** Something in the view may have changed; it is looked at soon. */
  changed(): void;
  /** Something went wrong; its first line says what. */
  note(text: string): void;
  /** Shows the last view, and lets go of the stream. */
  end(): void;
}

/** Calls something soon after it is asked to, once for all who ask meanwhile. */
export class Soon {
  readonly #call: () => void;
  readonly #delayMs: number;
  #timer: NodeJS.Timeout | undefined;

  constructor(delayMs: number, call: () => void) {
    this.#delayMs = delayMs;
    this.#call = call;
  }

  ask(): void {
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
