import type { GenericObject } from "@keelson/core";
import type { FieldProblem } from "../status/field-problem.ts";
import type { MutableObject } from "./mutable-object.ts";
import type { StoredObjects } from "./stored-objects.ts";

/**
 * What is particular to a kind when its objects are written. Everything common to all kinds (names, uid, timestamps,
 * generation, finalizers, preconditions, managed fields, schema) is the business of the server.
 *
 * A write goes: decode → patch or replace → schema defaults and `setDefaults` → mutating admission (then defaults
 * again) → `prepareFor…` → `validate` / `validateUpdate` → validating admission → store.
 */
export interface Strategy {
  /** Fills in what is left out; repeated after mutating admission, so it must not undo what is there. */
  setDefaults(object: MutableObject): void;
  /** Takes away what a creator may not set (mostly the status) and adds what the kind needs, such as finalizers. */
  prepareForCreate(object: MutableObject, context: WriteContext): void;
  /** Takes over from the old object what this write may not change (mostly the status, for other writes the rest). */
  prepareForUpdate(object: MutableObject, old: GenericObject, context: WriteContext): void;
  /** What is asked of new objects only, before the rest. */
  validateNew?(object: GenericObject, context: WriteContext): readonly FieldProblem[];
  /** Beyond the schema and the metadata. Also asked, with the rules below, on update. */
  validate(object: GenericObject, context: WriteContext): readonly FieldProblem[];
  /** What may not change; asked beside `validate`. */
  validateUpdate(object: GenericObject, old: GenericObject, context: WriteContext): readonly FieldProblem[];
  /**
   * What the rules of a custom kind have against the object beyond its schema; asked after `found`, all that its
   * metadata and schema have against it, is known. `old` is undefined for creations.
   */
  ruleProblems?(
    object: GenericObject,
    old: GenericObject | undefined,
    found: readonly FieldProblem[],
    context: WriteContext,
  ): readonly FieldProblem[];
  /** Sent as `Warning` headers. */
  warnings?(object: GenericObject, old: GenericObject | undefined): readonly string[];
  /** Whether objects count changes of what is neither metadata nor status in `metadata.generation`. */
  readonly countsGenerations: boolean;
  /** Where something else counts (the annotations of Deployments do): whether a change begins a new generation. */
  isNewGeneration?(object: GenericObject, old: GenericObject): boolean;
  /** Whether a PUT on a name that does not exist creates it. */
  readonly allowsCreateOnUpdate: boolean;
  /** Whether a PUT without resourceVersion overwrites whatever is there. */
  readonly allowsUnconditionalUpdate: boolean;
  /** Seconds an object stays after a deletion, of kinds that end gracefully (Pods). Undefined: it goes at once. */
  gracePeriodSeconds?(object: GenericObject, asked: number | undefined): number;
  /** `orphan` only where deleting without a policy leaves dependents alone. Default: background. */
  readonly defaultPropagation?: "Background" | "Orphan";
  /** How names are checked; gives the problem in the server's words. Default: DNS subdomain. */
  nameProblem?(name: string): string | undefined;
}

export interface WriteContext {
  /** The subresource that is written; undefined for the object itself. */
  readonly subresource: string | undefined;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** Reads what else is stored (references, defaults that depend on other objects). */
  readonly read: StoredObjects;
}
