import type { SuccessPolicy } from "@keelson/core/kinds/batch/v1";
import { parseIndexes } from "./index-set.ts";

/** Why a Job has succeeded although not all of its indexes have; undefined if it has not. */
export function successMessage(
  policy: SuccessPolicy | undefined,
  completions: number,
  succeeded: ReadonlySet<number>,
): string | undefined {
  if (succeeded.size === 0) return undefined;
  const index = (policy?.rules ?? []).findIndex(({ succeededIndexes, succeededCount }) => {
    if (succeededIndexes === undefined)
      return succeededCount !== undefined && succeeded.size >= succeededCount;
    const required = parseIndexes(succeededIndexes, completions);
    if (required.size === 0) return false;
    const reached = [...required].filter((one) => succeeded.has(one)).length;
    return reached === required.size || (succeededCount !== undefined && reached >= succeededCount);
  });
  return index === -1 ? undefined : `Matched rules at index ${index}`;
}
