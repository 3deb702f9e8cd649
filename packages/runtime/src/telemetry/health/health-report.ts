/** How one check of an answer ended. */
export interface CheckResult {
  readonly name: string;
  readonly outcome: "ok" | "excluded" | "failed";
}

/**
 * The lines that Kubernetes answers with, which people know and programs read [MG8]. Why a check failed is not in them:
 * anybody who reaches the port can ask.
 */
export function verboseReport(
  endpoint: string,
  results: readonly CheckResult[],
  unknownExcludes: readonly string[],
): string {
  const lines = results.map(({ name, outcome }) => lineOf(name, outcome));
  if (unknownExcludes.length > 0) {
    const names = unknownExcludes.map((name) => JSON.stringify(name)).join(",");
    lines.push(`warn: some health checks cannot be excluded: no matches for ${names}`);
  }
  const hasFailed = results.some(({ outcome }) => outcome === "failed");
  return [...lines, `${endpoint} check ${hasFailed ? "failed" : "passed"}`, ""].join("\n");
}

function lineOf(name: string, outcome: CheckResult["outcome"]): string {
  switch (outcome) {
    case "ok":
      return `[+]${name} ok`;
    case "excluded":
      return `[+]${name} excluded: ok`;
    case "failed":
      return `[-]${name} failed: reason withheld`;
  }
}
