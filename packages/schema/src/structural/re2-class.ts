import { type Piece, type Problem, readCharacter, readEscape } from "./re2-escape.ts";

/** The character class that the source begins with, from its `[` to its `]`. */
export function readClass(source: string, isUnicode: boolean): Piece | Problem {
  const start = source.startsWith("[^") ? "[^" : "[";
  let pattern = start;
  let length = start.length;
  let last: Piece | undefined;
  while (!source.startsWith("]", length)) {
    const member = readMember(source.slice(length), isUnicode);
    if ("problem" in member) return member;
    const isDash = source.startsWith("-", length) && length > start.length && source[length + 1] !== "]";
    const next = isDash ? readMember(source.slice(length + 1), isUnicode) : undefined;
    // A dash beside a set is a dash; RE2 would see half a range.
    const isPlain = next !== undefined && ("problem" in next || next.isSet === true || last?.isSet === true);
    pattern += isPlain ? "\\-" : member.pattern;
    length += member.length;
    last = member;
  }
  if (length === start.length) return { problem: "an empty character class" };
  return { length: length + 1, pattern: `${pattern}]`, isSet: true };
}

function readMember(source: string, isUnicode: boolean): Piece | Problem {
  // Unescaped, it could begin a class by name, such as [:alpha:].
  if (source.startsWith("[")) return { length: 1, pattern: "\\[" };
  const member = source.startsWith("\\") ? readEscape(source, true, isUnicode) : readCharacter(source);
  // Without the flag, either half would be a member.
  return "isPair" in member && !isUnicode ? { problem: "a surrogate pair without the flag u" } : member;
}
