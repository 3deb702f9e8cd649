import { KeelsonError } from "@keelson/core";
import { untypedValue } from "./cel-value.ts";
import {
  type CompiledRule,
  type CompileProblem,
  compileRule,
  isProblem,
  untypedEnvironment,
} from "./compile-rule.ts";
import { type AskAccess, CelAuthorizer } from "./functions/authorizer.ts";
import { dynType, objectType } from "./language/cel-type.ts";

/** A condition could not be decided. */
export class ConditionError extends KeelsonError {
  static override readonly brand: string = "@keelson/sandbox.ConditionError";
  readonly code = "CONDITION_FAILED";
}

/** What conditions of admission webhooks and policies may look at. */
export interface ConditionVariables {
  /** Null for deletions. */
  readonly object: unknown;
  /** Null for creations. */
  readonly oldObject: unknown;
  /** The AdmissionRequest. */
  readonly request: unknown;
  readonly authorizer: AskAccess;
}

const environment = untypedEnvironment({
  object: dynType,
  oldObject: dynType,
  request: dynType,
  authorizer: objectType("kubernetes.authorization.Authorizer"),
});

/** Compiled conditions: there are few, and they are evaluated often. */
const compiled = new Map<string, CompiledRule | CompileProblem>();
const mostRemembered = 1_000;

/** The condition, or why it is none, in the words of the real server. */
export function compileCondition(expression: string): CompiledRule | CompileProblem {
  const known = compiled.get(expression);
  if (known !== undefined) return known;
  const condition = compileRule(expression, environment);
  if (compiled.size >= mostRemembered) compiled.clear();
  compiled.set(expression, condition);
  return condition;
}

/** Whether a condition holds; an error if it cannot be evaluated. */
export function evaluateCondition(
  expression: string,
  variables: ConditionVariables,
): boolean | ConditionError {
  const condition = compileCondition(expression);
  if (isProblem(condition)) return new ConditionError(condition.problem);
  const { value, problem } = condition.evaluate({
    object: untypedValue(variables.object),
    oldObject: untypedValue(variables.oldObject),
    request: untypedValue(variables.request),
    authorizer: new CelAuthorizer(variables.authorizer, undefined),
  });
  if (problem !== undefined)
    return new ConditionError(`expression '${expression}' resulted in error: ${problem}`);
  return typeof value === "boolean"
    ? value
    : new ConditionError(`expression '${expression}' did not return a bool`);
}
