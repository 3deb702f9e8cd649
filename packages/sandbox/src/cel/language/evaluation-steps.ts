import { optionalElement } from "./access-value.ts";
import type { Budget } from "./budget.ts";
import { OptionalValue } from "./cel-values.ts";
import { EvaluationFailure, failure, noSuchOverload } from "./evaluation-failure.ts";

/** The state of one evaluation. */
export interface Frame {
  /** Of the variables of macros, by their place. */
  readonly locals: unknown[];
  readonly variables: Readonly<Record<string, unknown>>;
  readonly budget: Budget;
}

/** Computes the value of a part of an expression, and pays for it. */
export type Step = (frame: Frame) => unknown;

/** What a variable of a macro holds when it has no value; to read it is the error. */
export class Failed {
  readonly error: EvaluationFailure;

  constructor(error: EvaluationFailure) {
    this.error = error;
  }
}

export function attempt(step: Step, frame: Frame): unknown {
  try {
    return step(frame);
  } catch (error) {
    if (error instanceof EvaluationFailure) return new Failed(error);
    throw error;
  }
}

/** One operand that decides is enough, whatever is wrong with the others; else the first error counts. */
export function junction(steps: readonly Step[], decides: boolean): Step {
  return (frame) => {
    let error: EvaluationFailure | undefined;
    for (const step of steps) {
      const value = attempt(step, frame);
      if (value === decides) return decides;
      if (value instanceof Failed) error ??= value.error;
      else if (typeof value !== "boolean") error ??= failure(noSuchOverload);
    }
    if (error !== undefined) throw error;
    return !decides;
  };
}

export function choice(condition: Step, one: Step, other: Step): Step {
  return (frame) => {
    const decision = condition(frame);
    if (typeof decision !== "boolean") throw failure(noSuchOverload);
    return decision ? one(frame) : other(frame);
  };
}

export function isNotFalse(step: Step): Step {
  return (frame) => {
    const value = attempt(step, frame);
    frame.budget.spend(1);
    return value !== false;
  };
}

export function optionalAccess(operand: Step, key: Step): Step {
  return (frame) => {
    const found = optionalElement(operand(frame), key(frame));
    if (found.hasValue) frame.budget.spend(1);
    return found;
  };
}

export function alternative(operand: Step, other: Step, take: (optional: OptionalValue) => unknown): Step {
  return (frame) => {
    const optional = operand(frame);
    // A value that is there anyway needs no alternative.
    if (!(optional instanceof OptionalValue)) return optional;
    return optional.hasValue ? take(optional) : other(frame);
  };
}
