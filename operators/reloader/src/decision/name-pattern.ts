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
/** Instructions of all patterns of a list together; with this many, a name is decided within milliseconds. */
const maxSize = 1000;
/** Problems that are reported one by one, since each becomes an Event. */
const maxProblems = 5;
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
  let size = 0;
  for (const item of new Set(list.split(",").map((part) => part.trim()))) {
    if (item === "") continue;
    if (plainName.test(item)) {
      names.add(item);
      continue;
    }
    const pattern = compileItem(item, maxSize - size);
    if (typeof pattern === "string") {
      problems.push(`${quote(item)} ${pattern}`);
    } else {
      patterns.push(pattern);
      size += pattern.programSize();
    }
  }
  return {
    matches: (name) => names.has(name) || patterns.some((pattern) => matchesWhole(pattern, name)),
    names: [...names],
    hasPatterns: patterns.length > 0,
    problems: [
      ...problems.slice(0, maxProblems),
      ...(problems.length > maxProblems
        ? [`${problems.length - maxProblems} more items are wrong; correct these first`]
        : []),
    ],
  };
}

/** Compiled without anchors: with them, `a)|(b` would be a pattern that is not anchored. */
function compileItem(item: string, sizeLeft: number): RE2JS | string {
  if (item.length > maxLength) return `is too long; write at most ${maxLength} characters`;
  try {
    const pattern = RE2JS.compile(item);
    if (pattern.programSize() <= sizeLeft) return pattern;
    return pattern.programSize() > maxSize
      ? "is too large a pattern; write one with smaller repetitions, such as app-.* instead of app-.{1000}"
      : "is one pattern too many; join some, such as app-.* for many names that begin with app-";
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error;
    const reason = error.message.replace(/^error parsing regexp: /, "");
    return `is not a regular expression (${reason}); write a name or a pattern in the syntax of RE2, such as app-.*`;
  }
}

/**
 * By a matcher, since the other methods build an automaton while they match: its states are as many as 2 to the power of the
 * size of some patterns.
 */
function matchesWhole(pattern: RE2JS, name: string): boolean {
  return pattern.matcher(name).matches();
}

function quote(item: string): string {
  return JSON.stringify(item.length > 80 ? `${item.slice(0, 80)}…` : item);
}
