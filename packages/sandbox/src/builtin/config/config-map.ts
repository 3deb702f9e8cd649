import { deepEqual } from "@keelson/core";
import type { ConfigMap } from "@keelson/core/kinds/core/v1";
import { configKeyProblems } from "../../resource/name-problems.ts";
import type { Strategy } from "../../resource/strategy.ts";
import { type FieldProblem, forbiddenField, invalidValue, keyed } from "../../status/field-problem.ts";
import { builtinStrategy, type GivenObject } from "../builtin-strategy.ts";

/** 1 MiB, of ConfigMaps and Secrets. */
export const dataLimitBytes: number = 1024 * 1024;

export const configMapStrategy: Strategy = builtinStrategy<ConfigMap>({
  initialStatus: "none",
  setDefaults(map) {
    for (const field of ["data", "binaryData"] as const) {
      if (map[field] !== undefined && Object.keys(map[field]).length === 0) delete map[field];
    }
  },
  validate: configMapProblems,
  validateUpdate: (map, old) => immutableDataProblems(map, old, ["data", "binaryData"]),
});

function configMapProblems({ data = {}, binaryData = {} }: GivenObject<ConfigMap>): readonly FieldProblem[] {
  const problems: FieldProblem[] = [];
  let size = 0;
  for (const [key, value] of Object.entries(data)) {
    problems.push(...keyProblems("data", key));
    if (Object.hasOwn(binaryData, key)) {
      problems.push(invalidValue(keyed("data", key), key, "duplicate of key present in binaryData"));
    }
    size += Buffer.byteLength(value);
  }
  for (const [key, value] of Object.entries(binaryData)) {
    problems.push(...keyProblems("binaryData", key));
    size += Buffer.byteLength(value, "base64");
  }
  if (size > dataLimitBytes) problems.push(tooLong("[]", dataLimitBytes));
  return problems;
}

export function keyProblems(field: string, key: string): readonly FieldProblem[] {
  return configKeyProblems(key).map((detail) => invalidValue(keyed(field, key), key, detail));
}

export function tooLong(field: string, bytes: number): FieldProblem {
  return { type: "FieldValueTooLong", field, detail: `may not be more than ${bytes} bytes` };
}

/** What is marked immutable stays so, with all it holds. */
export function immutableDataProblems<Name extends string>(
  object: Readonly<Partial<Record<Name | "immutable", unknown>>>,
  old: Readonly<Partial<Record<Name | "immutable", unknown>>>,
  fields: readonly Name[],
): readonly FieldProblem[] {
  if (old.immutable !== true) return [];
  const detail = "field is immutable when `immutable` is set";
  return [
    ...(object.immutable === true ? [] : [forbiddenField("immutable", detail)]),
    ...fields.flatMap((field) =>
      deepEqual(object[field] ?? {}, old[field] ?? {}) ? [] : [forbiddenField(field, detail)],
    ),
  ];
}
