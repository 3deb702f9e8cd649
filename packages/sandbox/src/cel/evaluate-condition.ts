import { isRecord, KeelsonError } from "@keelson/core";
import { untypedValue } from "./cel-value.ts";
import { type CompiledRule, type CompileProblem, compileRule, isProblem } from "./compile-rule.ts";
import { declare } from "./environment.ts";
import { type AskAccess, CelAuthorizer, ResourceCheck } from "./functions/authorizer.ts";
import { type CelType, dynType, listOf, mapOf, objectType, scalars } from "./language/cel-type.ts";

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

const { bool, string } = scalars;
const groupVersion = { group: string, version: string };
const kindType = objectType("kubernetes.GroupVersionKind");
const resourceType = objectType("kubernetes.GroupVersionResource");

/** The fields of a request that conditions may look at. */
const requestTypes: Readonly<Record<string, Readonly<Record<string, CelType>>>> = {
  "kubernetes.GroupVersionKind": { ...groupVersion, kind: string },
  "kubernetes.GroupVersionResource": { ...groupVersion, resource: string },
  "kubernetes.UserInfo": {
    username: string,
    uid: string,
    groups: listOf(string),
    extra: mapOf(string, listOf(string)),
  },
  "kubernetes.AdmissionRequest": {
    kind: kindType,
    resource: resourceType,
    subResource: string,
    requestKind: kindType,
    requestResource: resourceType,
    requestSubResource: string,
    name: string,
    namespace: string,
    operation: string,
    userInfo: objectType("kubernetes.UserInfo"),
    dryRun: bool,
    options: dynType,
  },
};

const environment = declare(
  {
    object: dynType,
    oldObject: dynType,
    request: objectType("kubernetes.AdmissionRequest"),
    authorizer: objectType("kubernetes.authorization.Authorizer"),
    "authorizer.requestResource": objectType("kubernetes.authorization.ResourceCheck"),
  },
  new Map(Object.entries(requestTypes).map(([name, fields]) => [name, new Map(Object.entries(fields))])),
);

/** Compiled conditions: there are few, and they are evaluated often. */
const compiled = new Map<string, CompiledRule | CompileProblem>();
const mostRemembered = 1_000;

/** The condition, or why it is none, in the words of the real server. */
export function compileCondition(expression: string): CompiledRule | CompileProblem {
  const known = compiled.get(expression);
  if (known !== undefined) return known;
  const condition = compileRule(expression, environment, "condition");
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
    "authorizer.requestResource": new ResourceCheck(variables.authorizer, requestTarget(variables.request)),
  });
  if (problem !== undefined)
    return new ConditionError(`expression '${expression}' resulted in error: ${problem}`);
  return typeof value === "boolean"
    ? value
    : new ConditionError(`expression '${expression}' did not return a bool`);
}

/** What the request is about. */
function requestTarget(request: unknown): ResourceCheck["about"] {
  const { resource, subResource, namespace, name } = isRecord(request) ? request : {};
  const { group, resource: plural } = isRecord(resource) ? resource : {};
  const text = (value: unknown): string => (typeof value === "string" ? value : "");
  return {
    group: text(group),
    resource: text(plural),
    ...(text(subResource) === "" ? {} : { subresource: text(subResource) }),
    ...(text(namespace) === "" ? {} : { namespace: text(namespace) }),
    ...(text(name) === "" ? {} : { name: text(name) }),
  };
}
