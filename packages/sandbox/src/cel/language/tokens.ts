import type { Finding } from "./expression-problem.ts";

export interface Token {
  readonly kind: "int" | "uint" | "double" | "string" | "bytes" | "name" | "quotedName" | "symbol" | "end";
  readonly text: string;
  readonly offset: number;
}

const hidden = /(?:[\t\n\f\r ]+|\/\/[^\n]*)+/y;
const escaped = String.raw`\\(?:[abfnrtv"'\\?${"`"}]|[xX][\da-fA-F]{2}|u[\da-fA-F]{4}|U[\da-fA-F]{8}|[0-3][0-7]{2})`;
const raw = String.raw`[rR](?:"""[^]*?"""|'''[^]*?'''|"[^"\n\r]*"|'[^'\n\r]*')`;
const long = ['"""', "'''"].map((quote) => `${quote}(?:${escaped}|[^\\\\])*?${quote}`).join("|");
const short = ['"', "'"].map((quote) => `${quote}(?:${escaped}|[^\\\\${quote}\n\r])*${quote}`).join("|");
const quoted = `${raw}|${long}|${short}`;

const forms: readonly (readonly [Token["kind"], RegExp])[] = [
  ["bytes", new RegExp(`[bB](?:${quoted})`, "y")],
  ["string", new RegExp(quoted, "y")],
  ["double", /(?:\d+\.\d+(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+|\.\d+(?:[eE][+-]?\d+)?)/y],
  ["uint", /(?:0x[\da-fA-F]+|\d+)[uU]/y],
  ["int", /0x[\da-fA-F]+|\d+/y],
  ["name", /[A-Za-z_]\w*/y],
  ["quotedName", /`[\w.\-/ ]+`/y],
  ["symbol", /==|!=|<=|>=|&&|\|\||[-[\]{}().,!?:+*/%<>]/y],
];

/** What a text begins with that never ends as it must, with the character that shows it. */
const unfinished = new RegExp(
  `(?:${['"', "'"].map((quote) => `${quote}(?:${escaped}|[^\\\\${quote}\n\r])*`).join("|")})` +
    String.raw`(?:\\(?:[xX][\da-fA-F]?|u[\da-fA-F]{0,3}|U[\da-fA-F]{0,7}|[0-3][0-7]?)?)?[^]?|[=&|][^]?|[^]`,
  "uy",
);

/** The words of an expression, and what is none. */
export function tokensOf(text: string): {
  readonly tokens: readonly Token[];
  readonly findings: readonly Finding[];
} {
  const tokens: Token[] = [];
  const findings: Finding[] = [];
  let offset = 0;
  for (;;) {
    offset += matchAt(hidden, text, offset)?.length ?? 0;
    if (offset >= text.length) break;
    const token = tokenAt(text, offset);
    if (token === undefined) {
      const part = matchAt(unfinished, text, offset) ?? "";
      findings.push({ text: `Syntax error: token recognition error at: '${part}'`, offset });
      offset += part.length;
    } else {
      tokens.push(token);
      offset += token.text.length;
    }
  }
  return { tokens: [...tokens, { kind: "end", text: "<EOF>", offset: text.length }], findings };
}

function tokenAt(text: string, offset: number): Token | undefined {
  for (const [kind, pattern] of forms) {
    const found = matchAt(pattern, text, offset);
    if (found !== undefined) return { kind, text: found, offset };
  }
  return undefined;
}

function matchAt(pattern: RegExp, text: string, offset: number): string | undefined {
  pattern.lastIndex = offset;
  return pattern.exec(text)?.[0];
}
