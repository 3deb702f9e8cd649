import {
  InvalidLabelSelectorError,
  keyProblem,
  type LabelQuery,
  type LabelQueryRequirement,
  requirementProblem,
} from "./label-selector.ts";

/** A symbol, a word or the end of the text, and where it begins. `in` and `notin` are words: a key may be called so. */
interface Token {
  readonly kind: "symbol" | "word" | "end";
  readonly text: string;
  readonly position: number;
}

/** Longest first, so that `==` is not read as two symbols. Whitespace goes with what follows it. */
const tokenPattern = /[ \t\r\n]*(?:(==|!=|[=!(),<>])|([^ \t\r\n=!(),<>]+)|$)/y;

/**
 * Reads the string form of a label selector: requirements joined by commas, all of which must hold.
 *
 *     app=web  app==web  app!=web  app in (web,api)  app notin (web,api)  app  !app  size>3  size<3
 *
 * `a=b` becomes an entry of `matchLabels`, unless the key has one already with another value, and everything else an
 * entry of `matchExpressions`; `!=` becomes `NotIn`. An omitted value is the empty one, as in `app=` and `app in (web,)`.
 * The empty text is the selector of everything. Throws InvalidLabelSelectorError with the position of the mistake.
 */
export function parseLabelSelector(selector: string): LabelQuery {
  const parser = new LabelSelectorParser(selector);
  const matchLabels: [string, string][] = [];
  const matchExpressions: LabelQueryRequirement[] = [];
  for (const { key, operator, values, isEquality } of parser.requirements()) {
    const [value] = values;
    const earlier = matchLabels.find((label) => label[0] === key);
    if (operator === "Exists" || operator === "DoesNotExist") matchExpressions.push({ key, operator });
    else if (!isEquality || value === undefined) matchExpressions.push({ key, operator, values });
    else if (earlier === undefined) matchLabels.push([key, value]);
    else if (earlier[1] !== value) matchExpressions.push({ key, operator, values });
  }
  return {
    ...(matchLabels.length > 0 && { matchLabels: Object.fromEntries(matchLabels) }),
    ...(matchExpressions.length > 0 && { matchExpressions }),
  };
}

type ParsedRequirement = LabelQueryRequirement & {
  readonly values: readonly string[];
  /** Whether it was written with `=` or `==`. */
  readonly isEquality: boolean;
};

class LabelSelectorParser {
  readonly #selector: string;
  readonly #tokens: readonly Token[];
  #next = 0;

  constructor(selector: string) {
    this.#selector = selector;
    this.#tokens = tokensOf(selector);
  }

  requirements(): readonly ParsedRequirement[] {
    const found: ParsedRequirement[] = [];
    if (this.#peek().kind === "end") return found;
    do found.push(this.#requirement());
    while (this.#takeSymbol(","));
    if (this.#peek().kind !== "end") this.#fail('"," or the end');
    return found;
  }

  #requirement(): ParsedRequirement {
    const start = this.#peek();
    const isNegated = this.#takeSymbol("!");
    const key = this.#takeWord("a key");
    const problem = keyProblem(key.text);
    if (problem !== undefined) throw this.#error(problem, key);
    const requirement = isNegated
      ? withValues(key.text, "DoesNotExist", [])
      : this.#restriction(key.text, this.#peek());
    const wrong = requirementProblem(requirement);
    if (wrong !== undefined) throw this.#error(wrong, start);
    return requirement;
  }

  #restriction(key: string, operator: Token): ParsedRequirement {
    if (operator.kind === "end" || isSymbol(operator, ",")) return withValues(key, "Exists", []);
    this.#next += 1;
    switch (operator.text) {
      case "=":
      case "==":
        return { ...withValues(key, "In", [this.#exactValue()]), isEquality: true };
      case "!=":
        return withValues(key, "NotIn", [this.#exactValue()]);
      case ">":
        return withValues(key, "Gt", [this.#exactValue()]);
      case "<":
        return withValues(key, "Lt", [this.#exactValue()]);
      case "in":
        return withValues(key, "In", this.#valueSet());
      case "notin":
        return withValues(key, "NotIn", this.#valueSet());
      default:
        this.#next -= 1;
        return this.#fail('"=", "==", "!=", "in", "notin", ">" or "<"');
    }
  }

  #exactValue(): string {
    const next = this.#peek();
    return next.kind === "end" || isSymbol(next, ",") ? "" : this.#takeWord("a value").text;
  }

  #valueSet(): readonly string[] {
    if (!this.#takeSymbol("(")) this.#fail('"("');
    const values = new Set<string>();
    do {
      const next = this.#peek();
      const isOmitted = isSymbol(next, ",") || isSymbol(next, ")");
      values.add(isOmitted ? "" : this.#takeWord('a value, "," or ")"').text);
    } while (this.#takeSymbol(","));
    if (!this.#takeSymbol(")")) this.#fail('"," or ")"');
    return [...values].sort();
  }

  #peek(): Token {
    return this.#tokens[this.#next] ?? { kind: "end", text: "", position: this.#selector.length };
  }

  #takeSymbol(text: string): boolean {
    if (!isSymbol(this.#peek(), text)) return false;
    this.#next += 1;
    return true;
  }

  #takeWord(expected: string): Token {
    const token = this.#peek();
    if (token.kind !== "word") this.#fail(expected);
    this.#next += 1;
    return token;
  }

  #fail(expected: string): never {
    const token = this.#peek();
    const found = token.kind === "end" ? "the text ends" : `there is ${JSON.stringify(token.text)}`;
    throw this.#error(`${found}; expected ${expected}`, token);
  }

  #error(problem: string, { position }: Token): InvalidLabelSelectorError {
    return new InvalidLabelSelectorError(problem, { selector: this.#selector, position });
  }
}

function withValues(
  key: string,
  operator: LabelQueryRequirement["operator"],
  values: readonly string[],
): ParsedRequirement {
  return { key, operator, values, isEquality: false };
}

function isSymbol(token: Token, text: string): boolean {
  return token.kind === "symbol" && token.text === text;
}

function tokensOf(selector: string): readonly Token[] {
  const tokens: Token[] = [];
  for (const { 0: match, 1: symbol, 2: word, index } of selector.matchAll(new RegExp(tokenPattern, "gy"))) {
    const text = symbol ?? word;
    if (text === undefined) break;
    const kind = symbol === undefined ? "word" : "symbol";
    tokens.push({ kind, text, position: index + match.length - text.length });
  }
  return tokens;
}
