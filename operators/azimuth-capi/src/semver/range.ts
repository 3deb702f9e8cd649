import { compareVersions, parseVersion, type Version } from "./version.ts";

/** Which versions are meant. */
export interface VersionRange {
  includes(version: Version): boolean;
}

type Operator = "==" | "!=" | ">=" | ">" | "<=" | "<";

interface Constraint {
  readonly operator: Operator;
  readonly bound: Version;
}

const pattern = /^(==|!=|>=|>|<=|<|~)(.+)$/;

/**
 * Parses constraints with commas between them, such as `>=1.0.0,<2.0.0`; undefined if the text is something else. A version
 * must satisfy all of them. `~1.2.3` means `>=1.2.3,<1.3.0`. Prereleases satisfy a lower bound only if the bound is one
 * itself, and without a lower bound there is an implied one, `>=0.0.0`: so `==1.0.0-rc.1` alone includes nothing.
 */
export function parseRange(text: string): VersionRange | undefined {
  const constraints: Constraint[] = [];
  for (const part of text.split(",")) {
    const parsed = parseConstraint(part);
    if (parsed === undefined) return undefined;
    constraints.push(...parsed);
  }
  const hasLowerBound = constraints.some(({ operator }) => isLower(operator));
  return {
    includes: (version) =>
      (hasLowerBound || version.prerelease.length === 0) &&
      constraints.every((constraint) => satisfies(version, constraint)),
  };
}

function parseConstraint(text: string): readonly Constraint[] | undefined {
  const [, operator, rest = ""] = pattern.exec(text) ?? [];
  const bound = parseVersion(rest);
  if (bound === undefined) return undefined;
  if (operator === "~") return [{ operator: ">=", bound }, nextMinor(bound)];
  return isOperator(operator) ? [{ operator, bound }] : undefined;
}

function nextMinor(version: Version): Constraint {
  const minor = version.minor + 1n;
  const text = `${version.major}.${minor}.0`;
  return { operator: "<", bound: { text, major: version.major, minor, patch: 0n, prerelease: [] } };
}

function satisfies(version: Version, { operator, bound }: Constraint): boolean {
  if (isLower(operator) && version.prerelease.length > 0 && bound.prerelease.length === 0) return false;
  const order = compareVersions(version, bound);
  switch (operator) {
    case "==":
      return order === 0;
    case "!=":
      return order !== 0;
    case ">=":
      return order >= 0;
    case ">":
      return order > 0;
    case "<=":
      return order <= 0;
    case "<":
      return order < 0;
  }
}

function isLower(operator: Operator): boolean {
  return operator === ">=" || operator === ">";
}

const operators: readonly string[] = ["==", "!=", ">=", ">", "<=", "<"] satisfies Operator[];

function isOperator(text: string | undefined): text is Operator {
  return text !== undefined && operators.includes(text);
}
