import { escapedClass, GoPatternError, openClass, sourceOfPoint } from "./go-pattern-class.ts";

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
  const [capture, name = ""] = /^\(\?P?<([^>]*)>/.exec(text) ?? [];
  if (capture !== undefined && /^\w+$/.test(name)) return capture;
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
