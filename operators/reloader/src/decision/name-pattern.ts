import { RE2JS, RE2JSException } from "re2js";

/** The names that an annotation lists. */
export interface NamePatterns {
  matches(name: string): boolean;
  /** The items that are plain names. */
  readonly names: readonly string[];
  /** Whether there are items that may match several names. */
  readonly hasPatterns: boolean;
  /** What is wrong with items, each saying what to write instead. They match nothing. */
  readonly problems: readonly string[];
}

/** A name without characters that mean something in a regular expression. The dot does. */
const plainName = /^[a-z0-9-]+$/;

/** The longest item: four times the longest name. */
const maxLength = 1024;
/** Instructions of one compiled pattern; with this many, a match takes a few milliseconds at most. */
const maxSize = 500;
/** Patterns of one annotation that are not plain names. */
const maxPatterns = 64;
/** How many annotation values are kept compiled. */
const maxKept = 2048;

const kept = new Map<string, NamePatterns>();

/**
 * Reads a list of names and regular expressions, separated by commas. Each must match the whole name. The syntax is RE2's, as
 * upstream's, and matching takes linear time: a pattern of one user cannot stop the operator.
 */
export function namePatterns(list: string): NamePatterns {
  const found = kept.get(list);
  if (found !== undefined) return found;
  const patterns = compile(list);
  kept.set(list, patterns);
  for (const oldest of kept.keys()) {
    if (kept.size <= maxKept) break;
    kept.delete(oldest);
  }
  return patterns;
}

function compile(list: string): NamePatterns {
  const names = new Set<string>();
  const patterns: RE2JS[] = [];
  const problems: string[] = [];
  for (const item of new Set(list.split(",").map((part) => part.trim()))) {
    if (item === "") continue;
    if (plainName.test(item)) {
      names.add(item);
      continue;
    }
    const pattern = patterns.length < maxPatterns ? compileItem(item) : tooMany;
    if (typeof pattern === "string") problems.push(`${quote(item)} ${pattern}`);
    else patterns.push(pattern);
  }
  return {
    matches: (name) => names.has(name) || patterns.some((pattern) => pattern.testExact(name)),
    names: [...names],
    hasPatterns: patterns.length > 0,
    problems,
  };
}

const tooMany = `is one pattern too many; write at most ${maxPatterns}, or join some, such as (?:a|b).*`;

/** Compiled without anchors: with them, `a)|(b` would be a pattern that is not anchored. */
function compileItem(item: string): RE2JS | string {
  if (item.length > maxLength) return `is too long; write at most ${maxLength} characters`;
  try {
    const pattern = RE2JS.compile(item);
    if (pattern.programSize() <= maxSize) return pattern;
    return "is too large a pattern; write one with smaller repetitions, such as app-.* instead of app-.{1000}";
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error;
    const reason = error.message.replace(/^error parsing regexp: /, "");
    return `is not a regular expression (${reason}); write a name or a pattern in the syntax of RE2, such as app-.*`;
  }
}

function quote(item: string): string {
  return JSON.stringify(item.length > 80 ? `${item.slice(0, 80)}…` : item);
}
