import { KeelsonError } from "@keelson/core";

const parts = {
  newline: "[^\\n]",
  any: "[^]",
  lineStart: "(?<![^\\n])",
  lineEnd: "(?![^\\n])",
  textStart: "^",
  textEnd: "$",
};

/** What holds within a group; a flag that is set in its midst holds until its end. */
interface Group {
  /** Ends what was opened for its sake. */
  close: string;
  /** What an alternative begins with. */
  reopen: string;
  flags: string;
}

const compiled = new Map<string, RegExp>();

/**
 * An expression in the syntax of Go for the engine of this language. Throws GoPatternError, with the words of Go, for
 * one that Go would refuse.
 */
export function goPattern(pattern: string): RegExp {
  const known = compiled.get(pattern);
  if (known !== undefined) return known;
  const made = new RegExp(new Translation(pattern).run(), "v");
  compiled.set(pattern, made);
  return made;
}

class Translation {
  readonly #pattern: string;
  #rest: string;
  readonly #out: string[] = [];
  #group: Group = { close: "", reopen: "", flags: "" };
  readonly #outer: Group[] = [];
  /** Whether something stands here that can be repeated, and where its repetition began if it has one. */
  #hasArgument = false;
  #repetition: string | undefined;

  constructor(pattern: string) {
    this.#pattern = pattern;
    this.#rest = pattern;
  }

  run(): string {
    while (this.#rest !== "") this.#step();
    if (this.#outer.length > 0) throw new GoPatternError("missing closing )", this.#pattern);
    return `${this.#out.join("")}${this.#group.close}`;
  }

  #step(): void {
    const first = String.fromCodePoint(this.#rest.codePointAt(0) ?? 0);
    const repeat = /^(?:[*+?]|\{\d+(?:,\d*)?\})/.exec(this.#rest)?.[0];
    if (first === "(") this.#open();
    else if (first === ")") this.#close();
    else if (first === "|") this.#alternative();
    else if (first === "[") this.#class();
    else if (first === "\\") this.#escape();
    else if (repeat !== undefined) this.#repeat(repeat);
    else {
      this.#take(first.length);
      this.#argument(this.#sourceOf(first));
    }
  }

  #sourceOf(character: string): string {
    const isMultiline = this.#group.flags.includes("m");
    if (character === ".") return this.#group.flags.includes("s") ? parts.any : parts.newline;
    if (character === "^") return assertion(isMultiline ? parts.lineStart : parts.textStart);
    if (character === "$") return assertion(isMultiline ? parts.lineEnd : parts.textEnd);
    return sourceOfPoint(character.codePointAt(0) ?? 0);
  }

  #take(length: number): void {
    this.#rest = this.#rest.slice(length);
  }

  #argument(source: string): void {
    this.#out.push(source);
    this.#hasArgument = true;
    this.#repetition = undefined;
  }

  #nothingToRepeat(): void {
    this.#hasArgument = false;
    this.#repetition = undefined;
  }

  #alternative(): void {
    this.#take(1);
    this.#out.push(`${this.#group.close}|${this.#group.reopen}`);
    this.#nothingToRepeat();
  }

  #open(): void {
    const text = this.#rest;
    if (!text.startsWith("(?")) this.#enter("(", 1, this.#group.flags);
    else if (/^\(\?P?</.test(text)) this.#enter("(", captureOf(text).length, this.#group.flags);
    else this.#openWithFlags(text);
  }

  #openWithFlags(text: string): void {
    const [head, on = "", off = "", end] = /^\(\?([imsU]*)(?:-([imsU]+))?([:)])/.exec(text) ?? [];
    if (head === undefined) throw unknownSyntax(text);
    const flags = [...new Set(this.#group.flags + on)].filter((flag) => !off.includes(flag)).join("");
    if (end === ":") this.#enter(opening(this.#group.flags, flags), head.length, flags);
    else {
      this.#take(head.length);
      this.#setFlags(flags);
    }
  }

  #enter(source: string, length: number, flags: string): void {
    this.#take(length);
    this.#outer.push(this.#group);
    this.#group = { close: "", reopen: "", flags };
    this.#out.push(source);
    this.#nothingToRepeat();
  }

  /** From here to the end of the group, also in later alternatives. */
  #setFlags(flags: string): void {
    if (opening(this.#group.flags, flags) === "(?:") {
      this.#group = { ...this.#group, flags };
      return;
    }
    const reopen = opening(flags.includes("i") ? "" : "i", flags);
    this.#out.push(`${this.#group.close}${reopen}`);
    this.#group = { close: ")", reopen, flags };
    this.#nothingToRepeat();
  }

  #close(): void {
    const outer = this.#outer.pop();
    if (outer === undefined) throw new GoPatternError("unexpected )", this.#pattern);
    this.#take(1);
    const { close } = this.#group;
    this.#group = outer;
    this.#argument(`${close})`);
  }

  #class(): void {
    const { source, length } = openClass(this.#rest);
    this.#take(length);
    this.#argument(source);
  }

  #escape(): void {
    const text = this.#rest;
    if (text === "\\") throw new GoPatternError("trailing backslash at end of expression", "");
    const quoted = /^\\Q(.*?)(?:\\E|$)/s.exec(text);
    if (quoted !== null) {
      this.#take(quoted[0].length);
      for (const character of quoted[1] ?? "") this.#argument(sourceOfPoint(character.codePointAt(0) ?? 0));
      return;
    }
    const zeroWidth = { A: parts.textStart, z: parts.textEnd, b: "\\b", B: "\\B" }[text[1] ?? ""];
    const { source, length } =
      zeroWidth === undefined ? escapedClass(text) : { source: assertion(zeroWidth), length: 2 };
    this.#take(length);
    this.#argument(source);
  }

  #repeat(operator: string): void {
    const text = this.#rest;
    const lazy = text[operator.length] === "?" ? "?" : "";
    const written = operator + lazy;
    const [, least, most] = /^\{(\d+)(?:,(\d*))?\}$/.exec(operator) ?? [];
    if (Math.max(Number(least ?? 0), Number(most ?? 0)) > 1000 || (most && Number(least) > Number(most)))
      throw new GoPatternError("invalid repeat count", operator);
    if (this.#repetition !== undefined)
      throw new GoPatternError("invalid nested repetition operator", this.#repetition + written);
    if (!this.#hasArgument) throw new GoPatternError("missing argument to repetition operator", written);
    this.#take(written.length);
    const isLazy = (lazy !== "") !== this.#group.flags.includes("U");
    this.#out.push(`${operator}${isLazy ? "?" : ""}`);
    this.#repetition = written;
  }
}

/** `(?P<name>` or `(?<name>`. */
function captureOf(text: string): string {
  const [capture, name] = /^\(\?P?<([^>]*)>/.exec(text) ?? [];
  if (capture !== undefined && name !== undefined && /^\w+$/.test(name)) return capture;
  throw new GoPatternError("invalid named capture", capture ?? text);
}

/** Only letter case needs the help of the engine. */
function opening(before: string, after: string): string {
  if (before.includes("i") === after.includes("i")) return "(?:";
  return after.includes("i") ? "(?i:" : "(?-i:";
}

/** Go repeats even what has no width. */
function assertion(source: string): string {
  return `(?:${source})`;
}

function unknownSyntax(text: string): GoPatternError {
  const shown = /^\(\?[imsU]*(?:-[imsU]*)?.?/su.exec(text)?.[0] ?? text;
  return new GoPatternError("invalid or unsupported Perl syntax", shown);
}

/** Go would refuse the expression; the message is Go's. */
export class GoPatternError extends KeelsonError {
  static override readonly brand: string = "@keelson/sandbox.GoPatternError";
  readonly code = "INVALID_PATTERN";

  constructor(problem: string, part: string) {
    super(`error parsing regexp: ${problem}: \`${part}\``);
  }
}

/** Part of an expression, in the syntax of this language, and how long it was in that of Go. */
interface Piece {
  readonly source: string;
  readonly length: number;
}

/** One character, such that it stands for itself both within a class and outside. */
function sourceOfPoint(point: number): string {
  return /^[\w ]$/.test(String.fromCodePoint(point))
    ? String.fromCodePoint(point)
    : `\\u{${point.toString(16)}}`;
}

const spaces = "\\t\\n\\f\\r\\u{20}";

const perlClasses: Readonly<Record<string, string>> = {
  d: "[0-9]",
  D: "[^0-9]",
  w: "[0-9A-Z_a-z]",
  W: "[^0-9A-Z_a-z]",
  s: `[${spaces}]`,
  S: `[^${spaces}]`,
};

const posixClasses: Readonly<Record<string, string>> = {
  alnum: "0-9A-Za-z",
  alpha: "A-Za-z",
  ascii: "\\u{0}-\\u{7f}",
  blank: "\\t\\u{20}",
  cntrl: "\\u{0}-\\u{1f}\\u{7f}",
  digit: "0-9",
  graph: "\\u{21}-\\u{7e}",
  lower: "a-z",
  print: "\\u{20}-\\u{7e}",
  punct: "\\u{21}-\\u{2f}\\u{3a}-\\u{40}\\u{5b}-\\u{60}\\u{7b}-\\u{7e}",
  space: "\\t\\n\\v\\f\\r\\u{20}",
  upper: "A-Z",
  word: "0-9A-Za-z_",
  xdigit: "0-9A-Fa-f",
};

/** A backslash and what belongs to it: a set of characters, or one character. */
function escapedClass(text: string): Piece {
  return setOf(text) ?? pointPiece(text);
}

function pointPiece(text: string): Piece {
  const { point, length } = escapedPoint(text);
  return { source: sourceOfPoint(point), length };
}

/** `\d`, `\pL`, `\p{^Greek}`; undefined for what is one character. */
function setOf(text: string): Piece | undefined {
  const perl = perlClasses[text[1] ?? ""];
  if (perl !== undefined) return { source: perl, length: 2 };
  const [whole, letter, short, negation, long] = /^\\([pP])(?:([^{])|\{(\^?)([^}]*)\})/su.exec(text) ?? [];
  if (whole === undefined) {
    if (/^\\[pP]/.test(text)) throw new GoPatternError("invalid character class range", text);
    return undefined;
  }
  const isNegated = (letter === "P") !== (negation === "^");
  return { source: unicodeClass(short ?? long ?? "", isNegated, whole), length: whole.length };
}

function unicodeClass(name: string, isNegated: boolean, written: string): string {
  if (name === "Any") return isNegated ? "[^\\u{0}-\\u{10ffff}]" : "[^]";
  const letter = isNegated ? "P" : "p";
  for (const property of [`General_Category=${name}`, `Script=${name}`]) {
    const source = `\\${letter}{${property}}`;
    // Go knows categories by their letters only.
    if (property.startsWith("G") && !/^[A-Z][a-z]?$/.test(name)) continue;
    if (isKnown(source)) return source;
  }
  throw new GoPatternError("invalid character class range", written);
}

function isKnown(source: string): boolean {
  try {
    return new RegExp(source, "v").flags !== "";
  } catch {
    return false;
  }
}

const controls: Readonly<Record<string, number>> = { a: 7, f: 12, n: 10, r: 13, t: 9, v: 11 };

function escapedPoint(text: string): { readonly point: number; readonly length: number } {
  if (text === "\\") throw new GoPatternError("trailing backslash at end of expression", "");
  const [hex, short, long] = /^\\x(?:([0-9a-fA-F]{2})|\{([0-9a-fA-F]+)\})/.exec(text) ?? [];
  const point = Number.parseInt(short ?? long ?? "", 16);
  if (hex !== undefined && point <= 0x10_ffff) return { point, length: hex.length };
  // One digit that is not zero would be a reference to a group.
  const [octal, digits = ""] = /^\\(0[0-7]{0,2}|[1-7][0-7]{1,2})/.exec(text) ?? [];
  if (octal !== undefined) return { point: Number.parseInt(digits, 8), length: octal.length };
  const next = text.codePointAt(1) ?? 0;
  const character = String.fromCodePoint(next);
  const control = controls[character];
  if (control !== undefined) return { point: control, length: 2 };
  if (next < 0x80 && !/[0-9A-Za-z]/.test(character)) return { point: next, length: 2 };
  throw new GoPatternError("invalid escape sequence", `\\${character}`);
}

/** A class in brackets. */
function openClass(text: string): Piece {
  const isNegated = text[1] === "^";
  const items: string[] = [];
  let at = isNegated ? 2 : 1;
  for (let isFirst = true; isFirst || text[at] !== "]"; isFirst = false) {
    if (at >= text.length) throw new GoPatternError("missing closing ]", text);
    const { source, length } = posixClass(text.slice(at)) ?? escapedSet(text, at) ?? range(text, at);
    items.push(source);
    at += length;
  }
  return { source: `[${isNegated ? "^" : ""}${items.join("")}]`, length: at + 1 };
}

function escapedSet(text: string, at: number): Piece | undefined {
  return text[at] === "\\" ? setOf(text.slice(at)) : undefined;
}

function posixClass(text: string): Piece | undefined {
  const [whole, negation, name] = /^\[:(\^?)(.*?):\]/s.exec(text) ?? [];
  if (whole === undefined || name === undefined) return undefined;
  const members = posixClasses[name];
  if (members === undefined) throw new GoPatternError("invalid character class range", whole);
  return { source: `[${negation}${members}]`, length: whole.length };
}

function range(text: string, at: number): Piece {
  const low = classPoint(text, at);
  const next = at + low.length;
  if (text[next] !== "-" || next + 1 >= text.length || text[next + 1] === "]")
    return { source: sourceOfPoint(low.point), length: low.length };
  const high = classPoint(text, next + 1);
  const length = low.length + 1 + high.length;
  if (high.point < low.point)
    throw new GoPatternError("invalid character class range", text.slice(at, at + length));
  return { source: `${sourceOfPoint(low.point)}-${sourceOfPoint(high.point)}`, length };
}

function classPoint(text: string, at: number): { readonly point: number; readonly length: number } {
  if (at >= text.length) throw new GoPatternError("missing closing ]", text);
  if (text[at] === "\\") return escapedPoint(text.slice(at));
  const point = text.codePointAt(at) ?? 0;
  return { point, length: point > 0xffff ? 2 : 1 };
}
