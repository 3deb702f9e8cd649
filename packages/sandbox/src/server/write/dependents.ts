import type { ObjectMeta } from "@keelson/core";
import type { ServedResource } from "../../resource/served-resource.ts";
import type { DeleteOptions } from "../options/delete-options.ts";

type Policy = NonNullable<DeleteOptions["propagationPolicy"]>;

const orphan = "orphan";
const foreground = "foregroundDeletion";

/**
 * The finalizers of an object that is being deleted: they direct the garbage collector for its dependents. The options
 * decide, then the finalizers of the object, then the default of the kind.
 */
export function finalizersForDeletion(
  resource: ServedResource,
  { finalizers = [] }: ObjectMeta,
  options: DeleteOptions,
): readonly string[] {
  const policy = policyOf(resource, finalizers, options);
  const policyFinalizer = policy === "Orphan" ? orphan : policy === "Foreground" ? foreground : undefined;
  const kept = finalizers.filter((finalizer) => finalizer !== orphan && finalizer !== foreground);
  const next = policyFinalizer === undefined ? kept : [...kept, policyFinalizer];
  const isSame = next.length === finalizers.length && next.every((one) => finalizers.includes(one));
  return isSame ? finalizers : next;
}

function policyOf(
  { collection, strategy }: ServedResource,
  finalizers: readonly string[],
  { orphanDependents, propagationPolicy }: DeleteOptions,
): Policy {
  // Events own nothing.
  if (collection === "events") return "Background";
  if (orphanDependents !== undefined) return orphanDependents ? "Orphan" : "Background";
  if (propagationPolicy !== undefined) return propagationPolicy;
  const marker = finalizers.find((finalizer) => finalizer === orphan || finalizer === foreground);
  if (marker !== undefined) return marker === orphan ? "Orphan" : "Foreground";
  return strategy.defaultPropagation ?? "Background";
}

/** The warning for deleting a Job without a propagation policy. */
export function propagationWarning(
  { collection, strategy }: ServedResource,
  { orphanDependents, propagationPolicy }: DeleteOptions,
): string | undefined {
  const isSpecified = orphanDependents !== undefined || propagationPolicy !== undefined;
  if (isSpecified || collection !== "jobs.batch" || strategy.defaultPropagation !== "Orphan")
    return undefined;
  return "child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning";
}
