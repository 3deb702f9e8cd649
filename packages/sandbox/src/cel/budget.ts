import { failure } from "./functions/library.ts";

/** How much work one evaluation may still do. Expressions are run one at a time, so one budget is reused. */
export class Budget {
  #left = 0;

  /** Begins a new evaluation. */
  refill(amount: number): void {
    this.#left = amount;
  }

  get isSpent(): boolean {
    return this.#left < 0;
  }

  get left(): number {
    return this.#left;
  }

  spend(amount: number): void {
    this.#left -= amount;
    if (this.#left < 0) throw failure("operation cancelled: actual cost limit exceeded");
  }
}
