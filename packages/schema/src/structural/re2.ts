/** A regular expression as Go's RE2 reads it, or why it has none. */
export type Re2Pattern = { readonly pattern: string } | { readonly problem: string };

const largestRepetition = 1000;

/** Constructs of JavaScript that RE2 lacks, and what they look like where an expression, not a class, is read. */
const lacking: readonly (readonly [RegExp, string])[] = [
  [/^\(\?=|^\(\?!/, "look-ahead"],
  [/^\(\?<=|^\(\?<!/, "look-behind"],
  [/^\\[1-9]|^\\k</, "a back-reference"],
  [/^\[\^?\]/, "an empty character class"],
];

/** What an escape means in both places, expressions and classes. */
const lackingEscapes: readonly (readonly [RegExp, string])[] = [
  [/^\\c/, "a control escape"],
  [/^\\p\{\w+=/i, "a Unicode property with a value"],
];

/**
 * Says a JavaScript regular expression in RE2's syntax, which is what the API server matches patterns with. Flags go
 * in front (`(?i)`), code points are written `\x{…}`; what RE2 cannot do is a problem.
 */
export function toRe2(expression: RegExp): Re2Pattern {
  const flags = [...expression.flags];
  const foreign = flags.find((flag) => !"ismug".includes(flag));
  if (foreign !== undefined) return { problem: `the flag ${foreign}` };
  const inline = flags.filter((flag) => "ism".includes(flag)).join("");
  const body = translate(expression.source);
  return "problem" in body ? body : { pattern: (inline === "" ? "" : `(?${inline})`) + body.pattern };
}

function translate(source: string): Re2Pattern {
  let pattern = "";
  let inClass = false;
  for (let rest = source; rest.length > 0; ) {
    const problem = problemAt(rest, inClass);
    if (problem !== undefined) return { problem };
    const token = tokenAt(rest);
    if (token === "[" && !inClass) inClass = true;
    else if (token === "]") inClass = false;
    pattern += translateToken(token);
    rest = rest.slice(token.length);
  }
  return { pattern };
}

function problemAt(rest: string, inClass: boolean): string | undefined {
  const candidates = inClass ? lackingEscapes : [...lacking, ...lackingEscapes];
  const found = candidates.find(([start]) => start.test(rest));
  if (found !== undefined) return found[1];
  const repetition = inClass ? null : /^\{(\d+)(?:,(\d*))?\}/.exec(rest);
  const largest = Math.max(...(repetition?.slice(1) ?? []).map(Number).filter(Number.isFinite));
  return largest > largestRepetition ? `a repetition of more than ${largestRepetition}` : undefined;
}

/** The next escape as a whole, or the next character. */
function tokenAt(rest: string): string {
  return /^\\u\{[0-9a-f]+\}|^\\u[0-9a-f]{4}|^\\[\s\S]/i.exec(rest)?.[0] ?? rest.charAt(0);
}

function translateToken(token: string): string {
  const codePoint = /^\\u\{?([0-9a-f]+)\}?$/i.exec(token)?.[1];
  return codePoint === undefined ? token : `\\x{${codePoint}}`;
}
