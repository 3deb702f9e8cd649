import { createRequire } from "node:module";
import { KeelsonError } from "@keelson/core";
import type { RE2JS } from "re2js";

/** A regular expression in the syntax of Go. The time it takes grows with the length of the text only. */
export interface GoPattern {
  test(text: string): boolean;
  /** The first match; undefined if there is none. */
  find(text: string): string | undefined;
  /** Matches that do not overlap; at most `limit` unless it is negative. */
  findAll(text: string, limit: number): readonly string[];
}

/** Go would refuse the expression; the message is Go's. */
export class GoPatternError extends KeelsonError {
  static override readonly brand: string = "@keelson/sandbox.GoPatternError";
  readonly code = "INVALID_PATTERN";
}

/** Compiled expressions. Rules can make expressions at run time, so they are not kept without a bound. */
const compiled = new Map<string, GoPattern>();
const mostRemembered = 2_000;

/** Throws GoPatternError for an expression that Go would refuse. */
export function goPattern(pattern: string): GoPattern {
  const known = compiled.get(pattern);
  if (known !== undefined) return known;
  const made = new LinearPattern(compile(pattern));
  if (compiled.size >= mostRemembered) compiled.clear();
  compiled.set(pattern, made);
  return made;
}

class LinearPattern implements GoPattern {
  readonly #engine: RE2JS;

  constructor(engine: RE2JS) {
    this.#engine = engine;
  }

  test(text: string): boolean {
    return this.#engine.test(text);
  }

  find(text: string): string | undefined {
    const [match] = this.findAll(text, 1);
    return match;
  }

  findAll(text: string, limit: number): readonly string[] {
    return limit === 0 ? [] : (this.#engine.re2().findAll(text, limit < 0 ? -1 : limit) ?? []);
  }
}

const require = createRequire(import.meta.url);

/** Loaded with the first expression: most control planes that are started have none. Node remembers it. */
function library(): typeof import("re2js") {
  return require("re2js");
}

function compile(pattern: string): RE2JS {
  const { RE2JS: engine, RE2JSSyntaxException } = library();
  try {
    return engine.compile(pattern);
  } catch (error) {
    if (!(error instanceof RE2JSSyntaxException)) throw error;
    // Go lets several groups have one name.
    if (error.error === "duplicate capture group name") return engine.compile(withoutGroupNames(pattern));
    // Where the engine names no part, Go names the whole expression, or nothing at its end.
    const part = error.input ?? (error.error.startsWith("trailing") ? "" : pattern);
    throw new GoPatternError(`error parsing regexp: ${error.error}: \`${part}\``, { cause: error });
  }
}

/** The expression with groups that have no names, outside of quoted texts and classes. */
function withoutGroupNames(pattern: string): string {
  const piece = /\\Q.*?(?:\\E|$)|\\.|\[\^?\]?(?:\[:\^?\w+:\]|\\.|[^\]\\])*\]|\(\?P?<\w+>|./gsu;
  return pattern.replaceAll(piece, (part) => (/^\(\?P?</.test(part) ? "(" : part));
}
