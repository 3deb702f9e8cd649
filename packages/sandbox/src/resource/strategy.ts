import type { GenericObject } from "@keelson/core";
import type { FieldProblem } from "../status/field-problem.ts";
import type { MutableObject } from "./mutable-object.ts";
import type { StoredObjects } from "./stored-objects.ts";

/**
 * The rules of one kind for writes. The server applies the rules of all kinds (names, uid, timestamps, generation,
 * finalizers, preconditions, managed fields, schema).
 *
 * The steps of a write: decode → patch or replace → schema defaults and `setDefaults` → mutating admission (then defaults
 * again) → `prepareFor…` → `validate` / `validateUpdate` → validating admission → store.
 */
export interface Strategy {
  /** Sets defaults of absent fields; repeated after mutating admission, so it must not change fields that are set. */
  setDefaults(object: MutableObject): void;
  /** Removes fields that a create may not set (mostly the status) and adds those of the kind, such as finalizers. */
  prepareForCreate(object: MutableObject, context: WriteContext): void;
  /** Keeps the fields of the old object that this write may not change (mostly the status, or everything else). */
  prepareForUpdate(object: MutableObject, old: GenericObject, context: WriteContext): void;
  /** Validation of new objects only, before the rest. */
  validateNew?(object: GenericObject, context: WriteContext): readonly FieldProblem[];
  /** Validation beyond the schema and the metadata, on create and on update. */
  validate(object: GenericObject, context: WriteContext): readonly FieldProblem[];
  /** Validation of changes; called beside `validate`. */
  validateUpdate(object: GenericObject, old: GenericObject, context: WriteContext): readonly FieldProblem[];
  /**
   * The violations of the CEL rules of a custom kind. `found` are the problems of the metadata and the schema; `old` is
   * undefined for a create.
   */
  ruleProblems?(
    object: GenericObject,
    old: GenericObject | undefined,
    found: readonly FieldProblem[],
    context: WriteContext,
  ): readonly FieldProblem[];
  /** Sent as `Warning` headers. */
  warnings?(object: GenericObject, old: GenericObject | undefined): readonly string[];
  /** Whether `metadata.generation` counts changes of fields other than metadata and status. */
  readonly countsGenerations: boolean;
  /** Whether a change increments the generation, for kinds with another rule (annotations of Deployments count). */
  isNewGeneration?(object: GenericObject, old: GenericObject): boolean;
  /** Whether a PUT on a name that does not exist creates it. */
  readonly allowsCreateOnUpdate: boolean;
  /** Whether a PUT without resourceVersion overwrites the current object. */
  readonly allowsUnconditionalUpdate: boolean;
  /** The grace period of a deletion in seconds, of kinds that have one (Pods). Undefined: removed at once. */
  gracePeriodSeconds?(object: GenericObject, requested: number | undefined): number;
  /** `Orphan` if deleting without a policy keeps dependents. Default: `Background`. */
  readonly defaultPropagation?: "Background" | "Orphan";
  /** Validates names; returns the server's message. Default: DNS subdomain. */
  nameProblem?(name: string): string | undefined;
}

/** The user of a write, as the kinds that record it see it. */
interface Writer {
  readonly username: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

export interface WriteContext {
  readonly user: Writer;
  /** The subresource that is written; undefined for the object itself. */
  readonly subresource: string | undefined;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** Reads other stored objects (references, defaults that depend on other objects). */
  readonly read: StoredObjects;
}
