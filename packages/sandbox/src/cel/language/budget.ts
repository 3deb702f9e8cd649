/** An evaluation costs more than it may. No expression can go on after it. */
export class BudgetSpentError extends Error {
  constructor() {
    super("operation cancelled: actual cost limit exceeded");
  }
}

/** How much one evaluation may still cost, in the units of the real server. */
export class Budget {
  readonly #limit: number;
  #spent = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  get spent(): number {
    return this.#spent;
  }

  spend(amount: number): void {
    this.#spent += amount;
    if (this.#spent > this.#limit) throw new BudgetSpentError();
  }
}
