import { ApiError } from "../status/api-error.ts";
import { type FieldSet, formatPaths } from "./field-set.ts";
import type { Owner } from "./managers.ts";

/** Fields that are applied with other values than those of their owner. */
export interface Conflict {
  readonly owner: Owner;
  readonly fields: FieldSet;
}

/** The conflicts must be sorted by the keys of their owners. */
export function applyConflict(conflicts: readonly Conflict[]): ApiError {
  const causes = conflicts.flatMap(({ owner, fields }) =>
    formatPaths(fields).map((field) => ({
      reason: "FieldManagerConflict",
      message: `conflict with ${describe(owner)}`,
      field,
    })),
  );
  return new ApiError({
    httpCode: 409,
    reason: "Conflict",
    message: conflictMessage(conflicts, causes.length),
    details: { causes },
  });
}

function conflictMessage(conflicts: readonly Conflict[], count: number): string {
  const [only] = conflicts;
  if (count === 1 && only !== undefined) {
    const [path] = formatPaths(only.fields);
    return `Apply failed with 1 conflict: conflict with ${describe(only.owner)}: ${path}`;
  }
  const lines = conflicts.flatMap(({ owner, fields }) => [
    `conflicts with ${describe(owner)}:`,
    ...formatPaths(fields).map((path) => `- ${path}`),
  ]);
  return `Apply failed with ${count} conflicts: ${lines.join("\n")}`;
}

function describe({ manager, operation, apiVersion, subresource }: Owner): string {
  const who = JSON.stringify(manager) + (subresource === "" ? "" : ` with subresource "${subresource}"`);
  return operation === "Update" ? `${who} using ${apiVersion}` : who;
}
