import { formatJson, type GenericObject, isRecord } from "@keelson/core";
import { celFindings } from "../cel/rule-problems.ts";
import { ruleTree } from "../cel/rule-tree.ts";
import { qualifiedNameProblems } from "../resource/name-problems.ts";
import type { ScalePaths } from "../resource/served-resource.ts";
import type { Strategy } from "../resource/strategy.ts";
import type { FieldSchema } from "../schema/field-schema.ts";
import { ApiError } from "../status/api-error.ts";
import { type FieldProblem, type FieldProblemType, invalidValue } from "../status/field-problem.ts";

export interface CustomKind {
  readonly group: string;
  readonly plural: string;
  readonly schema: FieldSchema;
  readonly scale?: ScalePaths;
  /** The definition is being deleted: creates are refused. */
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

/** Finalizers that this write adds and whose names another owner might use too. */
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

/** What keeps an object from being scaled: its numbers of replicas and its selector must be what they are for. */
function scaleProblems(
  object: GenericObject,
  { specReplicasPath, statusReplicasPath, labelSelectorPath }: ScalePaths,
  isStatus: boolean,
): readonly FieldProblem[] {
  return [
    ...(isStatus ? [] : replicasProblems(object, specReplicasPath)),
    ...replicasProblems(object, statusReplicasPath),
    ...(labelSelectorPath === undefined ? [] : selectorProblems(object, labelSelectorPath)),
  ];
}

const mostReplicas = 2 ** 31 - 1;

function replicasProblems(object: GenericObject, path: string): readonly FieldProblem[] {
  const found = nested(object, path);
  if (typeof found === "string") return [invalidValue(path, 0, found)];
  const { value } = found;
  if (value === undefined) return [];
  if (typeof value !== "bigint" && !(typeof value === "number" && Number.isInteger(value))) {
    return [invalidValue(path, 0, mismatch(path, value, "int64"))];
  }
  if (value < 0) return [invalidValue(path, value, "should be a non-negative integer")];
  return value > mostReplicas
    ? [invalidValue(path, value, `should be less than or equal to ${mostReplicas}`)]
    : [];
}

function selectorProblems(object: GenericObject, path: string): readonly FieldProblem[] {
  const found = nested(object, path);
  if (typeof found === "string") return [invalidValue(path, "", found)];
  const { value } = found;
  return value === undefined || typeof value === "string"
    ? []
    : [invalidValue(path, "", mismatch(path, value, "string"))];
}

/** The value, or why there is no way to it. */
function nested(object: GenericObject, path: string): { readonly value: unknown } | string {
  let value: unknown = object;
  for (const name of path.replace(/^\./, "").split(".")) {
    if (value === undefined || value === null) return { value: undefined };
    if (!isRecord(value)) {
      return mismatch(path, value, "map[string]interface{}");
    }
    value = value[name];
  }
  return { value: value ?? undefined };
}

function mismatch(path: string, value: unknown, type: string): string {
  return `.${path.replace(/^\./, "")} accessor error: ${shown(value)} is of the type ${goType(value)}, expected ${type}`;
}

function shown(value: unknown): string {
  return typeof value === "object" ? formatJson(value) : String(value);
}

function goType(value: unknown): string {
  if (Array.isArray(value)) return "[]interface {}";
  if (typeof value === "object") return "map[string]interface {}";
  if (typeof value === "bigint") return "int64";
  if (typeof value === "number") return Number.isInteger(value) ? "int64" : "float64";
  return typeof value === "boolean" ? "bool" : "string";
}
