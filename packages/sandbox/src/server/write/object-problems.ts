import { apiVersionOf, type GenericObject, kindOf } from "@keelson/core";
import {
  type MetadataRules,
  metadataProblems,
  metadataUpdateProblems,
  unknownFinalizers,
} from "../../resource/metadata-problems.ts";
import type { ServedResource } from "../../resource/served-resource.ts";
import type { WriteContext } from "../../resource/strategy.ts";
import { invalid } from "../../status/api-error.ts";
import { type FieldProblem, invalidValue } from "../../status/field-problem.ts";
import { schemaProblemsOf } from "./schema-steps.ts";

/** Validates an object that is created. Throws ApiError with all problems. */
export function checkNew(resource: ServedResource, object: GenericObject, context: WriteContext): void {
  const { strategy } = resource;
  checkType(resource, object);
  const ofSchema = schemaProblemsOf(resource, object, undefined, context.subresource);
  const found = [
    ...metadataProblems(object, metadataRules(resource)),
    ...ofSchema.values,
    ...(strategy.validateNew?.(object, context) ?? []),
    ...strategy.validate(object, context),
    ...ofSchema.structure,
  ];
  throwProblems(resource, object, [
    ...found,
    ...(strategy.ruleProblems?.(object, undefined, found, context) ?? []),
  ]);
}

/** Validates an object that replaces another. Throws ApiError with all problems. */
export function checkChanged(
  resource: ServedResource,
  object: GenericObject,
  old: GenericObject,
  context: WriteContext,
): void {
  const { strategy } = resource;
  checkType(resource, object);
  const ofSchema = schemaProblemsOf(resource, object, old, context.subresource);
  const found = [
    ...changedMetadataProblems(resource, object, old),
    ...ofSchema.values,
    ...strategy.validate(object, context),
    ...strategy.validateUpdate(object, old, context),
    ...ofSchema.structure,
  ];
  throwProblems(resource, object, [
    ...found,
    ...(strategy.ruleProblems?.(object, old, found, context) ?? []),
  ]);
}

function throwProblems(
  resource: ServedResource,
  object: GenericObject,
  problems: readonly FieldProblem[],
): void {
  if (problems.length > 0) throw invalid(resource, object.metadata.name ?? "", problems);
}

/** A patch may have changed apiVersion or kind; the message then names the changed kind. */
function checkType(resource: ServedResource, object: GenericObject): void {
  const apiVersion = apiVersionOf(resource);
  const problems: FieldProblem[] = [];
  if (object.kind !== resource.kind) {
    problems.push(invalidValue("kind", object.kind, `must be ${resource.kind}`));
  }
  if (object.apiVersion !== apiVersion) {
    problems.push(invalidValue("apiVersion", object.apiVersion, `must be ${apiVersion}`));
  }
  if (problems.length > 0) throw invalid(kindOf(object), object.metadata.name ?? "", problems);
}

function metadataRules(resource: ServedResource): MetadataRules {
  const { scope, strategy } = resource;
  const { nameProblem } = strategy;
  const knowsFinalizers = !allowsAnyFinalizer(resource);
  return { scope, knowsFinalizers, ...(nameProblem === undefined ? {} : { nameProblem }) };
}

/** CustomResourceDefinitions are served by the same API server as custom kinds. */
function allowsAnyFinalizer({ isCustom, group }: ServedResource): boolean {
  return isCustom || group === "apiextensions.k8s.io";
}

/**
 * The server validates the metadata of a changed object by itself, then against the old object; the kind repeats the
 * latter, and some kinds the former too. So a problem is reported up to four times.
 */
function changedMetadataProblems(
  resource: ServedResource,
  object: GenericObject,
  old: GenericObject,
): readonly FieldProblem[] {
  const rules = metadataRules(resource);
  const found = metadataUpdateProblems(object, old, rules);
  if (found.length === 0) return found;
  const common = metadataProblems(object, { ...rules, knowsFinalizers: false });
  const ofItself = common.filter(({ field }) => !namesOf.has(field));
  const withOld = found.filter(({ type, field }) => isCheckedTwice(type, field));
  const finalizers = object.metadata.finalizers ?? [];
  const ofKind = allowsAnyFinalizer(resource) ? [] : unknownFinalizers(finalizers, "metadata.finalizers");
  const again = checkedAgain.has(resource.collection) ? metadataProblems(object, rules) : [];
  return [...ofItself, ...withOld, ...withOld, ...ofKind, ...again];
}

/** Kinds that validate a changed object like a new one. */
const checkedAgain: ReadonlySet<string> = new Set([
  "configmaps",
  "endpoints",
  "limitranges",
  "persistentvolumes",
  "secrets",
  "serviceaccounts",
  "services",
]);

const namesOf: ReadonlySet<string> = new Set(["metadata.name", "metadata.generateName"]);

function isCheckedTwice(type: FieldProblem["type"], field: string): boolean {
  if (field.startsWith("metadata.finalizers")) return type === "FieldValueForbidden";
  return field !== "metadata.generation";
}
