import {
  type Environment,
  EvaluationError,
  Optional,
  type RegisteredFunctionHandler,
} from "@marcbachmann/cel-js";

/** A group of functions that Kubernetes adds to CEL. */
export type Library = (environment: Environment) => void;

/**
 * Signatures as the evaluator writes them, such as `string.find(string): string`, each with what it does. It is only
 * called with what its signature says, so each function states its own types.
 */
export type Functions = readonly (readonly [signature: string, handler: RegisteredFunctionHandler])[];

export function libraryOf(functions: Functions): Library {
  return (environment) => {
    for (const [signature, handler] of functions) {
      environment.registerFunction(signature, handler, { async: false });
    }
  };
}

/** Functions that are called with a word before them: `sets.contains(…)`. */
export function namespaced(word: string, type: string, functions: Functions): Library {
  return (environment) => {
    class Namespace {}
    environment.registerType(type, Namespace);
    environment.registerConstant(word, type, new Namespace());
    for (const [signature, handler] of functions) {
      const withoutWord: RegisteredFunctionHandler = (_word, ...values) => handler(...values);
      environment.registerFunction(`${type}.${signature}`, withoutWord, { async: false });
    }
  };
}

export function failure(message: string, cause?: unknown): EvaluationError {
  return cause === undefined ? new EvaluationError(message) : new EvaluationError({ message, cause });
}

/** A value of CEL that may be empty. */
export function optionalOf<T>(value: T | undefined): Optional<T> {
  return value === undefined ? Optional.none() : Optional.of(value);
}

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
