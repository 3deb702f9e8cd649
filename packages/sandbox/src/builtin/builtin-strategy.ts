import { type Draft, draft, type GenericObject, type KubeObject, type ObjectMeta } from "@keelson/core";
import { decoded, type MutableObject } from "../resource/mutable-object.ts";
import type { Strategy, WriteContext } from "../resource/strategy.ts";
import { withoutNulls } from "../resource/without-nulls.ts";
import type { FieldProblem } from "../status/field-problem.ts";

/**
 * What is particular to a built-in kind. What is left out is done as most kinds do it: the status is empty at creation,
 * only writes of the status change it, and these change nothing else beside the metadata.
 */
export interface KindRules<T extends KubeObject> {
  /** Must not change a field that is set. */
  setDefaults?(object: GivenDraft<T>): void;
  /** After the status was emptied. */
  prepareForCreate?(object: GivenDraft<T>, context: WriteContext): void;
  /** Of the object itself (and its scale), after the old status was put back. */
  prepareForUpdate?(object: GivenDraft<T>, old: GivenObject<T>, context: WriteContext): void;
  /** Of the status, after everything else but the metadata was put back. */
  prepareForStatusUpdate?(object: GivenDraft<T>, old: GivenObject<T>, context: WriteContext): void;
  /** Not called for a write of the status. */
  validate?(object: GivenObject<T>, context: WriteContext): readonly FieldProblem[];
  /** Called after `validate` for an object that is created. */
  validateCreate?(object: GivenObject<T>, context: WriteContext): readonly FieldProblem[];
  validateUpdate?(
    object: GivenObject<T>,
    old: GivenObject<T>,
    context: WriteContext,
  ): readonly FieldProblem[];
  validateStatusUpdate?(object: GivenObject<T>, old: GivenObject<T>): readonly FieldProblem[];
  warnings?(object: GivenObject<T>, old: GivenObject<T> | undefined): readonly string[];
  /** Subresources other than `status` and `scale` that write a part of the object. */
  readonly parts?: Readonly<Record<string, PartRules<T>>>;
  isNewGeneration?(object: GivenObject<T>, old: GivenObject<T>): boolean;
  gracePeriodSeconds?(object: GivenObject<T>, asked: number | undefined): number;
  nameProblem?(name: string): string | undefined;
  /** What the status is at creation. Default: empty. `none`: the kind has none. `given`: the creator may set it. */
  readonly initialStatus?: "empty" | "given" | "none";
  /** Default: false. */
  readonly countsGenerations?: boolean;
  /** Default: false. */
  readonly allowsCreateOnUpdate?: boolean;
  /** Default: true. */
  readonly allowsUnconditionalUpdate?: boolean;
  readonly defaultPropagation?: "Background" | "Orphan";
}

/** What a write of a subresource takes over from the old object, and what it checks. */
interface PartRules<T extends KubeObject> {
  prepareForUpdate(object: GivenDraft<T>, old: GivenObject<T>, context: WriteContext): void;
  validateUpdate?(object: GivenObject<T>, old: GivenObject<T>): readonly FieldProblem[];
}

const noProblems: readonly FieldProblem[] = [];

/** The strategy of a kind, from what is particular to it. */
export function builtinStrategy<T extends KubeObject>(rules: KindRules<T>): Strategy {
  const { initialStatus = "empty", countsGenerations = false, defaultPropagation } = rules;
  const { warnings, gracePeriodSeconds, nameProblem, isNewGeneration } = rules;
  return {
    setDefaults: (object) => rules.setDefaults?.(draftOf<T>(object)),
    prepareForCreate: (object, context) => {
      if (initialStatus === "empty") object["status"] = {};
      rules.prepareForCreate?.(draftOf<T>(object), context);
    },
    prepareForUpdate: (object, old, context) => prepareForUpdate(rules, object, old, context),
    validate: (object, context) => validate(rules, object, context),
    validateUpdate: (object, old, context) => validateUpdate(rules, object, old, context),
    countsGenerations,
    allowsCreateOnUpdate: rules.allowsCreateOnUpdate ?? false,
    allowsUnconditionalUpdate: rules.allowsUnconditionalUpdate ?? true,
    ...(warnings === undefined
      ? {}
      : {
          warnings: (object, old) => warnings(given<T>(object), old === undefined ? old : given<T>(old)),
        }),
    ...(gracePeriodSeconds === undefined
      ? {}
      : { gracePeriodSeconds: (object, asked) => gracePeriodSeconds(given<T>(object), asked) }),
    ...(isNewGeneration === undefined
      ? {}
      : { isNewGeneration: (object, old) => isNewGeneration(given<T>(object), given<T>(old)) }),
    ...(nameProblem === undefined ? {} : { nameProblem }),
    ...(defaultPropagation === undefined ? {} : { defaultPropagation }),
  };
}

function prepareForUpdate<T extends KubeObject>(
  rules: KindRules<T>,
  object: MutableObject,
  old: GenericObject,
  context: WriteContext,
): void {
  const { subresource } = context;
  const part = subresource === undefined ? undefined : rules.parts?.[subresource];
  if (part !== undefined) {
    part.prepareForUpdate(draftOf<T>(object), given<T>(old), context);
  } else if (subresource === "status") {
    takeBack(object, old, (field) => field !== "status");
    rules.prepareForStatusUpdate?.(draftOf<T>(object), given<T>(old), context);
  } else {
    if (rules.initialStatus !== "none") takeBack(object, old, (field) => field === "status");
    rules.prepareForUpdate?.(draftOf<T>(object), given<T>(old), context);
  }
}

function validate<T extends KubeObject>(
  rules: KindRules<T>,
  object: GenericObject,
  context: WriteContext,
): readonly FieldProblem[] {
  if (isPart(rules, context)) return noProblems;
  const problems = rules.validate?.(given<T>(object), context) ?? noProblems;
  const isNew = object.metadata.resourceVersion === undefined;
  if (!isNew || rules.validateCreate === undefined) return problems;
  return [...problems, ...rules.validateCreate(given<T>(object), context)];
}

function validateUpdate<T extends KubeObject>(
  rules: KindRules<T>,
  object: GenericObject,
  old: GenericObject,
  context: WriteContext,
): readonly FieldProblem[] {
  const { subresource } = context;
  const part = subresource === undefined ? undefined : rules.parts?.[subresource];
  if (part !== undefined) return part.validateUpdate?.(given<T>(object), given<T>(old)) ?? noProblems;
  const problems =
    subresource === "status"
      ? rules.validateStatusUpdate?.(given<T>(object), given<T>(old))
      : rules.validateUpdate?.(given<T>(object), given<T>(old), context);
  return problems ?? noProblems;
}

function isPart<T extends KubeObject>(rules: KindRules<T>, { subresource }: WriteContext): boolean {
  if (subresource === undefined) return false;
  return subresource === "status" || rules.parts?.[subresource] !== undefined;
}

/** Restores the old values of fields, and removes fields that the old object does not have. The metadata stays. */
export function takeBack(
  object: Record<string, unknown>,
  old: Readonly<Record<string, unknown>>,
  isTaken: (field: string) => boolean,
): void {
  for (const field of Object.keys(object)) {
    if (!isKept(field) && isTaken(field) && !Object.hasOwn(old, field)) delete object[field];
  }
  for (const [field, value] of Object.entries(old)) {
    if (!isKept(field) && isTaken(field)) object[field] = draft(value);
  }
}

function isKept(field: string): boolean {
  return field === "metadata" || field === "apiVersion" || field === "kind";
}

/** The server decodes objects by the schema of their kind, so they have its types: the one place that relies on it. */
function draftOf<T extends KubeObject>(object: MutableObject): GivenDraft<T> {
  return decoded<GivenDraft<T>>(object);
}

/** As above, of an object that is only read; without the nulls that the server writes for empty lists and maps. */
function given<T extends KubeObject>(object: GenericObject): GivenObject<T> {
  return decoded<GivenObject<T>>(withoutNulls(object));
}

/**
 * A value as a client gives it: its fields have the types of the kind, because it was decoded by its schema, but any of
 * them may be missing, even required ones, and a text may have a value that the type does not list. Validation checks
 * both.
 */
export type Given<T> = T extends string
  ? string
  : T extends readonly (infer Element)[]
    ? readonly Given<Element>[]
    : T extends object
      ? string extends keyof T
        ? { readonly [Key in keyof T]: Given<T[Key]> }
        : { readonly [Field in keyof T]?: Given<T[Field]> }
      : T;

/** A whole object as a client gives it. The server itself makes sure of the metadata. */
export type GivenObject<T extends KubeObject> = KubeObject &
  Given<Omit<T, "apiVersion" | "kind" | "metadata">>;

/** A private copy of one, which may be changed. */
export type GivenDraft<T extends KubeObject> = {
  apiVersion: string;
  kind: string;
  metadata: Draft<ObjectMeta>;
} & Draft<Given<Omit<T, "apiVersion" | "kind" | "metadata">>>;
