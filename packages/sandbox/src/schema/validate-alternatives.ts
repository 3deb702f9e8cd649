import type { FieldSchema } from "./field-schema.ts";
import { generalProblem, joined, nameOf, result, type SchemaResult } from "./schema-result.ts";

/** What `anyOf`, `oneOf`, `allOf` and `not` say of a value; `judge` judges it by one of their schemas. */
export function alternativesResult(
  schema: FieldSchema,
  field: string,
  judge: (schema: FieldSchema) => SchemaResult,
): SchemaResult {
  const { anyOf = [], oneOf = [], allOf = [], not } = schema;
  const name = JSON.stringify(field === "" ? "" : nameOf(field));
  const results: SchemaResult[] = [];
  if (anyOf.length > 0) results.push(anyResult(anyOf.map(judge), name));
  if (oneOf.length > 0) results.push(oneResult(oneOf.map(judge), name));
  if (allOf.length > 0) results.push(allResult(allOf.map(judge), name));
  if (not !== undefined && isMet(judge(not)))
    results.push(result(generalProblem(`${name} must not validate the schema (not)`)));
  return joined([...results, result()]);
}

function anyResult(results: readonly SchemaResult[], name: string): SchemaResult {
  const met = results.find(isMet);
  if (met !== undefined) return met;
  const problem = generalProblem(`${name} must validate at least one schema (anyOf)`);
  return joined([result(problem), nearest(results)]);
}

function oneResult(results: readonly SchemaResult[], name: string): SchemaResult {
  const met = results.filter(isMet);
  const [only] = met;
  if (only !== undefined && met.length === 1) return only;
  const found = met.length === 0 ? "Found none valid" : `Found ${met.length} valid alternatives`;
  const problem = generalProblem(`${name} must validate one and only one schema (oneOf). ${found}`);
  return met.length === 0 ? joined([result(problem), nearest(results)]) : result(problem);
}

function allResult(results: readonly SchemaResult[], name: string): SchemaResult {
  const met = results.filter(isMet);
  if (met.length === results.length) return joined(results);
  const none = met.length === 0 ? ". None validated" : "";
  return joined([...results, result(generalProblem(`${name} must validate all the schemas (allOf)${none}`))]);
}

function isMet({ problems }: SchemaResult): boolean {
  return problems.length === 0;
}

/** The first of those that match most. */
function nearest(results: readonly SchemaResult[]): SchemaResult {
  return results.reduce((best, one) => (one.matches > best.matches ? one : best));
}
