import { readClass } from "./re2-class.ts";
import { type Piece, type Problem, readCharacter, readEscape } from "./re2-escape.ts";

/** A regular expression as Go's RE2 reads it, or why it has none. */
export type Re2Pattern = { readonly pattern: string } | Problem;

/** Of one repetition, or of several inside of each other multiplied. */
const largestRepetition = 1000;

/**
 * Says a JavaScript regular expression in RE2's syntax, which is what the API server matches patterns with. Flags go
 * in front (`(?i)`), code points are written `\x{…}`, groups lose their names; what RE2 cannot do is a problem.
 */
export function toRe2(expression: RegExp): Re2Pattern {
  const flags = [...expression.flags];
  const foreign = flags.find((flag) => !"ismug".includes(flag));
  if (foreign !== undefined) return { problem: `the flag ${foreign}` };
  const inline = flags.filter((flag) => "ism".includes(flag)).join("");
  const body = translate(expression.source, expression.unicode);
  return "problem" in body ? body : { pattern: (inline === "" ? "" : `(?${inline})`) + body.pattern };
}

function translate(source: string, isUnicode: boolean): Re2Pattern {
  let pattern = "";
  let last: Piece | undefined;
  // How often the last atom, and any atom of the group so far, repeats what is inside of it.
  let ofAtom = 1;
  let ofGroup = 1;
  const outside: number[] = [];
  for (let rest = source; rest !== ""; rest = rest.slice(last.length)) {
    const repetition = readRepetition(rest);
    if (repetition !== undefined) {
      ofAtom *= repetition.count;
      if (ofAtom > largestRepetition) return { problem: `a repetition of more than ${largestRepetition}` };
      if (last?.isPair && !isUnicode) return { problem: "a surrogate pair without the flag u" };
    }
    const piece = repetition ?? readAtom(rest, isUnicode);
    if ("problem" in piece) return piece;
    if (rest.startsWith("(")) {
      outside.push(ofGroup);
      ofGroup = 1;
    } else if (rest.startsWith(")")) {
      ofAtom = ofGroup;
      ofGroup = outside.pop() ?? 1;
    } else if (repetition === undefined) ofAtom = 1;
    ofGroup = Math.max(ofGroup, ofAtom);
    pattern += piece.pattern;
    last = piece;
  }
  return { pattern };
}

function readAtom(source: string, isUnicode: boolean): Piece | Problem {
  if (source.startsWith("(")) return readGroup(source);
  if (source.startsWith("[")) return readClass(source, isUnicode);
  return source.startsWith("\\") ? readEscape(source, false, isUnicode) : readCharacter(source);
}

function readGroup(source: string): Piece | Problem {
  if (/^\(\?[=!]/.test(source)) return { problem: "look-ahead" };
  if (/^\(\?<[=!]/.test(source)) return { problem: "look-behind" };
  const [start = "("] = /^\(\?<[^>]*>|^\(\?[a-z-]*:/.exec(source) ?? [];
  return { length: start.length, pattern: start.startsWith("(?<") ? "(" : start };
}

/** A quantifier, and the number that counts against the limit: the greatest if there is one. */
function readRepetition(source: string): (Piece & { readonly count: number }) | undefined {
  const [whole, least, most] = /^(?:\{(\d+)(?:,(\d*))?\}|[*+?])\??/.exec(source) ?? [];
  if (whole === undefined) return undefined;
  return { length: whole.length, pattern: whole, count: Math.max(1, Number(most || least || 1)) };
}
