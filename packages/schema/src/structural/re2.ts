/** A regular expression as Go's RE2 reads it, or why it has none. */
export type Re2Pattern = { readonly pattern: string } | Problem;

/** Of one repetition, or of several inside of each other multiplied. */
const largestRepetition = 1000;

/**
 * Writes a JavaScript regular expression in RE2's syntax, which is what the API server matches patterns with. Flags go
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

/** A part of a regular expression in RE2's words. */
interface Piece {
  /** How many characters of the source it stands for. */
  readonly length: number;
  readonly pattern: string;
  /** It stands for a set of characters, and so cannot be the end of a range. */
  readonly isSet?: true;
  /** It is one character for RE2, and two code units for an expression without the flag u. */
  readonly isPair?: true;
}

interface Problem {
  readonly problem: string;
}

/** JavaScript's white space. RE2's own `\s` knows neither the vertical tab nor anything beyond ASCII. */
const space = "\\t-\\r\\pZ\\x{FEFF}";
const noSpace =
  "\\x00-\\x08\\x0E-\\x1F!-\\x{9F}\\x{A1}-\\x{167F}\\x{1681}-\\x{1FFF}\\x{200B}-\\x{2027}\\x{202A}-\\x{202E}" +
  "\\x{2030}-\\x{205E}\\x{2060}-\\x{2FFF}\\x{3001}-\\x{FEFE}\\x{FF00}-\\x{10FFFF}";

/** The general categories of Unicode: what both call them, and the longer names of JavaScript. */
const categories: ReadonlyMap<string, string> = new Map(
  [
    "C Other,Cc Control cntrl,Cf Format,Co Private_Use,L Letter,Ll Lowercase_Letter,Lm Modifier_Letter",
    "Lo Other_Letter,Lt Titlecase_Letter,Lu Uppercase_Letter,M Mark Combining_Mark,Mc Spacing_Mark",
    "Me Enclosing_Mark,Mn Nonspacing_Mark,N Number,Nd Decimal_Number digit,Nl Letter_Number,No Other_Number",
    "P Punctuation punct,Pc Connector_Punctuation,Pd Dash_Punctuation,Pe Close_Punctuation",
    "Pf Final_Punctuation,Pi Initial_Punctuation,Po Other_Punctuation,Ps Open_Punctuation,S Symbol",
    "Sc Currency_Symbol,Sk Modifier_Symbol,Sm Math_Symbol,So Other_Symbol,Z Separator,Zl Line_Separator",
    "Zp Paragraph_Separator,Zs Space_Separator",
  ]
    .join(",")
    .split(",")
    .flatMap((line) => {
      const [short = "", ...long] = line.split(" ");
      return [short, ...long].map((name): [string, string] => [name, short]);
    }),
);

/** The escape that the source begins with; what it means depends on the flag u and on whether it is in a class. */
function readEscape(source: string, inClass: boolean, isUnicode: boolean): Piece | Problem {
  const [sign = "", letter = ""] = /^\\([\s\S])/u.exec(source) ?? [];
  const as = (pattern: string): Piece => ({ length: sign.length, pattern });
  const asSet = (inside: string, outside: string): Piece => ({
    ...as(inClass ? inside : outside),
    isSet: true,
  });
  if (letter === "c") return { problem: "a control escape" };
  if (letter === "s") return asSet(space, `[${space}]`);
  if (letter === "S") return asSet(noSpace, `[^${space}]`);
  if (/[dDwW]/.test(letter)) return asSet(sign, sign);
  if (/[1-9]/.test(letter) || (letter === "k" && !inClass)) {
    return { problem: inClass ? "an octal escape" : "a back-reference" };
  }
  if (letter === "u" || letter === "x") return readCode(source, isUnicode) ?? as(letter);
  if (/p/i.test(letter) && isUnicode) return readProperty(source);
  if (letter === "b" && inClass) return as("\\x08");
  const isKnown = /[tnrfv0]/.test(letter) || (/b/i.test(letter) && !inClass);
  // A letter without a meaning stands for itself, and has another meaning in RE2 (\A, \z, \Q).
  return as(isKnown || /[!-/:-@[-`{-~ ]/.test(letter) ? sign : letter);
}

/** A character as it stands in the source. */
function readCharacter(source: string): Piece | Problem {
  const code = source.codePointAt(0) ?? 0;
  if (isSurrogate(code)) return { problem: "half of a surrogate pair" };
  const character = String.fromCodePoint(code);
  return { length: character.length, pattern: character, ...(character.length > 1 && { isPair: true }) };
}

/** `\x41`, `\u0041`, `\u{41}`; two escapes that make up one character are read as one. */
function readCode(source: string, isUnicode: boolean): Piece | Problem | undefined {
  const byte = /^\\x[0-9a-f]{2}/i.exec(source)?.[0];
  if (byte !== undefined) return { length: byte.length, pattern: byte };
  const [pair, high = "", low = ""] = /^\\u(d[89ab][0-9a-f]{2})\\u(d[c-f][0-9a-f]{2})/i.exec(source) ?? [];
  if (pair !== undefined) {
    const code = String.fromCharCode(Number.parseInt(high, 16), Number.parseInt(low, 16)).codePointAt(0) ?? 0;
    return { length: pair.length, pattern: `\\x{${code.toString(16)}}`, isPair: true };
  }
  const [whole, digits = ""] =
    /^\\u([0-9a-f]{4})/i.exec(source) ?? (isUnicode ? /^\\u\{([0-9a-f]+)\}/i.exec(source) : null) ?? [];
  if (whole === undefined) return undefined;
  if (isSurrogate(Number.parseInt(digits, 16))) return { problem: "half of a surrogate pair" };
  return { length: whole.length, pattern: `\\x{${digits}}` };
}

function readProperty(source: string): Piece | Problem {
  const [whole = "", letter = "", property = "", value] = /^\\(p)\{(\w+)(=\w+)?\}/i.exec(source) ?? [];
  if (value !== undefined) return { problem: "a Unicode property with a value" };
  const category = categories.get(property);
  if (category === undefined) return { problem: `the Unicode property ${property}` };
  return { length: whole.length, pattern: `\\${letter}{${category}}`, isSet: true };
}

function isSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdfff;
}

/** The character class that the source begins with, from its `[` to its `]`. */
function readClass(source: string, isUnicode: boolean): Piece | Problem {
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
