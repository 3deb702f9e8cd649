import type { z } from "keelson";
import type { Setting } from "./setting.ts";

const units: ReadonlyMap<string, string> = new Map([
  ["string", " characters"],
  ["array", " items"],
]);

/** What is wrong with the value of an operator's setting, to follow its name: `must be …`. Quotes no sensitive value. */
export function issueText(issue: z.core.$ZodIssue, { isSensitive = false }: Setting): string {
  switch (issue.code) {
    case "invalid_type":
      return `must be ${withArticle(issue.expected)}`;
    case "invalid_value":
      return `must be one of ${issue.values.map(String).join(", ")}`;
    case "too_small":
      return limitText(issue.inclusive === false ? "more than" : "at least", issue.minimum, issue.origin);
    case "too_big":
      return limitText(issue.inclusive === false ? "less than" : "at most", issue.maximum, issue.origin);
    case "invalid_format":
      // The format is that of the schema, whatever the value is.
      if (isSensitive && issue.format === "url") return "must be a URL";
      return refusal(issue.message, isSensitive);
    default:
      return refusal(issue.message, isSensitive);
  }
}

/** The message is the author's, who may have put the value into it. */
function refusal(message: string, isSensitive: boolean): string {
  return isSensitive ? "is refused by its schema" : `is refused: ${message}`;
}

function limitText(relation: string, limit: number | bigint, origin: string): string {
  const unit = units.get(origin);
  return unit === undefined ? `must be ${relation} ${limit}` : `must have ${relation} ${limit}${unit}`;
}

function withArticle(type: string): string {
  if (type === "int") return "a whole number";
  return `${/^[aeiou]/.test(type) ? "an" : "a"} ${type}`;
}
