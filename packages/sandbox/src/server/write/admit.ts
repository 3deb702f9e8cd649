import { freeze, type GenericObject } from "@keelson/core";
import type { AdmissionChain, AdmissionRequest } from "../../admission/admission.ts";
import type { MutableObject } from "../../resource/mutable-object.ts";
import type { WriteOptions } from "../options/write-options.ts";
import type { WriteTarget } from "./object-writer.ts";

interface AdmittedWrite {
  readonly operation: "CREATE" | "UPDATE" | "DELETE";
  /** Empty if the name is not generated yet, or if a collection is deleted. */
  readonly name: string;
  readonly oldObject: GenericObject | undefined;
}

export function admissionRequest(
  { resource, subresource, namespace }: WriteTarget,
  { operation, name, oldObject }: AdmittedWrite,
  options: WriteOptions,
): AdmissionRequest {
  const { user, dryRun, warn, signal } = options;
  // In admission requests, a Namespace is in itself.
  const isNamespace = resource.plural === "namespaces" && resource.group === "";
  return {
    operation,
    resource,
    subresource,
    name,
    namespace: isNamespace && name !== "" ? name : namespace,
    user,
    dryRun,
    oldObject,
    options: admissionOptions(operation, options),
    warn,
    signal,
  };
}

const optionKinds = { CREATE: "CreateOptions", UPDATE: "UpdateOptions", DELETE: "DeleteOptions" } as const;

/** Whatever the verb, a creation has CreateOptions and a change UpdateOptions. */
function admissionOptions(
  operation: keyof typeof optionKinds,
  { admissionOptions: given }: WriteOptions,
): Readonly<Record<string, unknown>> {
  const { force: _force, ...rest } = given ?? {};
  return { ...rest, kind: optionKinds[operation], apiVersion: "meta.k8s.io/v1" };
}

/** Calls the mutating plugins in turn; returns whether there are any. */
export async function admitMutating(
  { mutating }: AdmissionChain,
  request: AdmissionRequest,
  object: MutableObject | undefined,
): Promise<boolean> {
  for (const plugin of mutating) {
    const waiting = plugin.mutate(request, object);
    if (waiting !== undefined) await waiting;
  }
  return mutating.length > 0;
}

export async function admitValidating(
  { validating }: AdmissionChain,
  request: AdmissionRequest,
  object: GenericObject | undefined,
): Promise<void> {
  if (validating.length === 0) return;
  if (object !== undefined) freeze(object);
  for (const plugin of validating) {
    const waiting = plugin.validate(request, object);
    if (waiting !== undefined) await waiting;
  }
}
