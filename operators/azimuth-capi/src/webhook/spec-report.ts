import type { z } from "keelson";
import { isRecord } from "keelson/low-level";

/** What is wrong with one field of a spec. */
export interface SpecProblem {
  /** Such as `nodeGroups.0.count`. */
  readonly path: string;
  readonly message: string;
}

/** The report of the original, which the Azimuth API shows to users: how many problems there are, and where. */
export function specReport(model: string, problems: readonly SpecProblem[]): string {
  const count = `${problems.length} validation ${problems.length === 1 ? "error" : "errors"}`;
  return [`${count} for ${model}`, ...problems.flatMap(({ path, message }) => [path, `  ${message}`])].join(
    "\n",
  );
}

/** The problems that the schema finds, in the words of the original. */
export function schemaProblems(schema: z.ZodType, spec: unknown): readonly SpecProblem[] {
  const { error } = schema.safeParse(spec, { error: messageOf });
  return (error?.issues ?? []).map(({ path, message }) => ({ path: path.join("."), message }));
}

const typeNames: Readonly<Record<string, string>> = {
  int: "integer",
  number: "integer",
  array: "list",
  object: "dictionary",
  record: "dictionary",
};

function messageOf(issue: z.core.$ZodRawIssue): string | undefined {
  switch (issue.code) {
    case "invalid_type":
      return issue.input === undefined
        ? "Field required"
        : `Input should be a valid ${typeNames[issue.expected] ?? issue.expected}`;
    case "too_small":
      if (issue.origin === "string") return "String should have at least 1 character";
      return `Input should be greater than ${issue.inclusive === true ? "or equal to " : ""}${issue.minimum}`;
    case "invalid_format":
      return issue.format === "ipv4" ? "Input is not a valid IPv4 address" : undefined;
    default:
      return undefined;
  }
}

/** As `schemaProblems`, for the spec of a Cluster: also fields that are needed or not by the value of others. */
export function clusterSpecProblems(schema: z.ZodType, spec: unknown): readonly SpecProblem[] {
  const problems = schemaProblems(schema, spec);
  const paths = new Set(problems.map(({ path }) => path));
  return [...problems, ...nodeGroupProblems(spec).filter(({ path }) => !paths.has(path))];
}

/** What is wrong with the numbers of machines of node groups. Nulls count as absent. */
function nodeGroupProblems(spec: unknown): readonly SpecProblem[] {
  const groups = isRecord(spec) && Array.isArray(spec.nodeGroups) ? spec.nodeGroups : [];
  return groups.flatMap((group: unknown, index) =>
    isRecord(group)
      ? countProblems(group).map(({ path, message }) => ({ path: `nodeGroups.${index}.${path}`, message }))
      : [],
  );
}

function countProblems({
  autoscale,
  count,
  minCount,
  maxCount,
}: Readonly<Record<string, unknown>>): readonly SpecProblem[] {
  if (autoscale !== true)
    return isAbsent(count)
      ? [{ path: "count", message: "must be given for a non-autoscaled node group" }]
      : [];
  const message = "must be given for an autoscaled node group";
  const missing = Object.entries({ minCount, maxCount })
    .filter(([, value]) => isAbsent(value))
    .map(([path]) => ({ path, message }));
  const isReversed = typeof minCount === "number" && typeof maxCount === "number" && maxCount < minCount;
  return isReversed
    ? [{ path: "maxCount", message: "must be greater than or equal to the minimum count" }]
    : missing;
}

function isAbsent(value: unknown): boolean {
  return value === undefined || value === null;
}
