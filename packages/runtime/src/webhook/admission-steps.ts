import { draft, isRecord, type KubeObject } from "@keelson/core";
import type { AdmissionCall, Mutation, MutatorStep, Validation, ValidatorStep } from "./admission.ts";
import type { AdmissionRequest, AdmissionResponse, Operation } from "./admission-review.ts";
import { InvalidWebhookError } from "./errors.ts";
import { jsonPatchBetween } from "./json-patch-diff.ts";

/** Runs mutators in order. One patch for all of them, from what the server sent to what the last one left [WH3, WH4]. */
export async function runMutators<T extends KubeObject>(
  mutators: readonly MutatorStep<T>[],
  request: AdmissionRequest,
  call: AdmissionCall,
): Promise<Pick<AdmissionResponse, "patch">> {
  const { operation, object } = request;
  // There is nothing left to change.
  if (operation === "DELETE") return {};
  let current: T = objectIn(object, "object");
  for (const step of stepsFor(mutators, operation)) {
    const copy = draft(current);
    const mutation: Mutation<T> =
      operation === "UPDATE"
        ? { ...call, operation, object: copy, old: objectIn(request.oldObject, "oldObject") }
        : { ...call, operation, object: copy, old: undefined };
    const returned = await step.handle(mutation);
    call.signal.throwIfAborted();
    current = objectIn(returned ?? copy, "result of a mutator");
  }
  return { patch: jsonPatchBetween(object, current) };
}

/** Runs validators in order, to the first that denies [WH4]. */
export async function runValidators<T extends KubeObject>(
  validators: readonly ValidatorStep<T>[],
  request: AdmissionRequest,
  call: AdmissionCall,
): Promise<Pick<AdmissionResponse, "patch">> {
  const validation = validationOf<T>(request, call);
  for (const step of stepsFor(validators, request.operation)) {
    await step.handle(validation);
    call.signal.throwIfAborted();
  }
  return {};
}

function validationOf<T extends KubeObject>(request: AdmissionRequest, call: AdmissionCall): Validation<T> {
  const { operation } = request;
  switch (operation) {
    case "CREATE":
    case "CONNECT":
      return { ...call, operation, object: objectIn(request.object, "object"), old: undefined };
    case "UPDATE": {
      const old: T = objectIn(request.oldObject, "oldObject");
      return { ...call, operation, object: objectIn(request.object, "object"), old };
    }
    case "DELETE": {
      const old: T = objectIn(request.oldObject, "oldObject");
      return { ...call, operation, object: old, old };
    }
  }
}

function stepsFor<Step extends { readonly operations: readonly Operation[] }>(
  steps: readonly Step[],
  operation: Operation,
): readonly Step[] {
  return steps.filter(({ operations }) => operations.includes(operation));
}

function objectIn<T extends KubeObject>(value: unknown, what: string): T {
  if (isObject<T>(value)) return value;
  throw new InvalidWebhookError("read the request", `its ${what} is not an object`);
}

/** That it is one of the kind is for the API server to know, which has checked it against the schema. */
function isObject<T extends KubeObject>(value: unknown): value is T {
  return isRecord(value);
}
