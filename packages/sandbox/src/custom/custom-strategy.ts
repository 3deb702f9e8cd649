import type { GenericObject } from "@keelson/core";
import { celFindings } from "../cel/rule-problems.ts";
import { ruleTree } from "../cel/rule-tree.ts";
import { qualifiedNameProblems } from "../resource/name-problems.ts";
import type { ScalePaths } from "../resource/served-resource.ts";
import type { Strategy } from "../resource/strategy.ts";
import type { FieldSchema } from "../schema/field-schema.ts";
import { ApiError } from "../status/api-error.ts";
import type { FieldProblem, FieldProblemType } from "../status/field-problem.ts";
import { scaleProblems } from "./scale-problems.ts";

export interface CustomKind {
  readonly group: string;
  readonly plural: string;
  readonly schema: FieldSchema;
  readonly scale?: ScalePaths;
  /** Its definition is being deleted: no more objects are taken. */
  readonly isTerminating: boolean;
}

/** How objects of a custom kind are written; what its schema says and its status are the server's business. */
export function customStrategy(kind: CustomKind): Strategy {
  const { schema, scale } = kind;
  const hasRules = ruleTree(schema, true) !== undefined;
  return {
    setDefaults() {},
    prepareForCreate() {
      if (kind.isTerminating) throw terminating(kind);
    },
    prepareForUpdate() {},
    validate: (object, { subresource }) =>
      scale === undefined ? [] : scaleProblems(object, scale, subresource === "status"),
    validateUpdate: () => [],
    ruleProblems: (object, old, found) => (hasRules ? rulesOf(object, old, schema, found) : []),
    warnings(object, old) {
      const ofRules = hasRules && old !== undefined ? celFindings(object, old, schema).warnings : [];
      return [...finalizerWarnings(object, old), ...ofRules];
    },
    countsGenerations: true,
    allowsCreateOnUpdate: false,
    allowsUnconditionalUpdate: false,
  };
}

/** Problems after which rules could not rely on what they see. */
const blocking: ReadonlySet<FieldProblemType> = new Set([
  "FieldValueNotSupported",
  "FieldValueRequired",
  "FieldValueTooLong",
  "FieldValueTooMany",
  "FieldValueTypeInvalid",
]);

const unchecked: FieldProblem = {
  type: "FieldValueInvalid",
  field: "<nil>",
  value: null,
  detail:
    "some validation rules were not checked because the object was invalid; correct the existing errors to complete validation",
};

function rulesOf(
  object: GenericObject,
  old: GenericObject | undefined,
  schema: FieldSchema,
  found: readonly FieldProblem[],
): readonly FieldProblem[] {
  if (found.some(({ type }) => blocking.has(type))) return [unchecked];
  return celFindings(object, old, schema).problems;
}

const standardFinalizers: ReadonlySet<string> = new Set(["orphan", "foregroundDeletion", "kubernetes"]);

/** Finalizers that came with this write and whose names others might use too. */
function finalizerWarnings(object: GenericObject, old: GenericObject | undefined): readonly string[] {
  const { finalizers } = object.metadata;
  if (finalizers === undefined || finalizers === old?.metadata.finalizers) return [];
  const before = old?.metadata.finalizers ?? [];
  return finalizers.filter((name) => !before.includes(name)).flatMap(finalizerProblems);
}

function finalizerProblems(name: string): readonly string[] {
  const place = `metadata.finalizers: ${JSON.stringify(name)}`;
  const problems = qualifiedNameProblems(name).map((problem) => `${place}: ${problem}`);
  if (name.includes("/") || standardFinalizers.has(name)) return problems;
  const what = name.includes(".")
    ? "a domain-qualified finalizer name including a path (/)"
    : "a domain-qualified finalizer name";
  return [...problems, `${place}: prefer ${what} to avoid accidental conflicts with other finalizer writers`];
}

function terminating({ group, plural }: CustomKind): ApiError {
  return new ApiError({
    httpCode: 405,
    reason: "MethodNotAllowed",
    message: "create not allowed while custom resource definition is terminating",
    details: { group, kind: plural },
  });
}
