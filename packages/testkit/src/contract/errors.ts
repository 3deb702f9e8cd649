import { TestkitError } from "../errors.ts";

/** An operator breaks a promise that every operator keeps. */
export class ContractError extends TestkitError {
  static override readonly brand: string = "@keelson/testkit.ContractError";
  readonly code = "CONTRACT_BROKEN";
  /** The evidence, a line for each. */
  readonly details: readonly string[];

  constructor({ operator, problem, details = [] }: BrokenPromise, options?: ErrorOptions) {
    super([`check the contract of operator ${operator}: ${problem}`, ...details].join("\n  "), options);
    this.details = details;
  }
}

interface BrokenPromise {
  readonly operator: string;
  readonly problem: string;
  readonly details?: readonly string[];
}
