import { ExpressionProblem, type Finding } from "./expression-problem.ts";
import { keywords } from "./reserved-words.ts";
import { type Token, tokensOf } from "./tokens.ts";

/** What an operand can begin with, as messages list it. */
export const operandStart =
  "{'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}";

/** Reads the words of an expression one by one, and reports those that do not fit in the words of the real server. */
export class TokenReader {
  readonly text: string;
  readonly findings: Finding[];
  readonly #tokens: readonly Token[];
  #at = 0;
  /** Brackets that are not closed yet. */
  #open = 0;

  constructor(text: string) {
    const { tokens, findings } = tokensOf(text);
    this.text = text;
    this.findings = [...findings];
    this.#tokens = tokens;
  }

  get next(): Token {
    const token = this.#tokens[this.#at] ?? this.#tokens.at(-1);
    if (token === undefined) throw new TypeError("there is always an end");
    return token;
  }

  take(): Token {
    const token = this.next;
    this.#at++;
    return token;
  }

  is(text: string): boolean {
    const { kind, text: found } = this.next;
    return found === text && (kind === "symbol" || keywords.has(text));
  }

  accept(text: string): Token | undefined {
    return this.is(text) ? this.take() : undefined;
  }

  /** One word too many or too few is reported, and what follows is read as if it were not. */
  expect(text: string, expected: string = `'${text}'`): Token {
    const found = this.accept(text);
    if (found !== undefined) return found;
    const { text: given } = this.next;
    if (this.after?.text === text) {
      this.#report(`extraneous input '${given}' expecting ${expected}`);
      this.take();
      return this.take();
    }
    if (expected === `'${text}'` && this.#canFollow(text)) {
      this.#report(`missing ${expected} at '${given}'`);
      return { ...this.next, text };
    }
    return this.fail(`mismatched input '${given}' expecting ${expected}`);
  }

  /** Whether the next word makes sense after one that is missing. */
  #canFollow(missing: string): boolean {
    const { kind, text } = this.next;
    if (missing === ":") return this.startsOperand(this.next);
    return kind === "end" ? this.#open === 1 : kind === "symbol" && !/^[({!]$/.test(text);
  }

  startsOperand({ kind, text }: Token): boolean {
    if (kind === "end" || kind === "quotedName") return false;
    return kind === "symbol" ? /^[[{(.!-]$/.test(text) : text !== "in";
  }

  #report(text: string, { offset }: { readonly offset: number } = this.next): void {
    this.findings.push({ text: `Syntax error: ${text}`, offset });
  }

  fail(text: string, { offset }: { readonly offset: number } = this.next): never {
    this.#report(text, { offset });
    throw new ExpressionProblem(this.findings);
  }

  problem(text: string, offset: number): never {
    throw new ExpressionProblem([...this.findings, { text, offset }]);
  }

  /** What is between brackets, the first of which is read already. */
  within<T>(parse: () => T): T {
    this.#open++;
    const inner = parse();
    this.#open--;
    return inner;
  }

  /** A word that no operand begins with is skipped if the one after it does. */
  unexpected(expected: string = operandStart): void {
    const { text, kind } = this.next;
    const { after } = this;
    const isSkipped = kind !== "end" && after !== undefined && this.startsOperand(after);
    if (!isSkipped) this.fail(`mismatched input '${text}' expecting ${expected}`);
    this.#report(`extraneous input '${text}' expecting ${expected}`);
    this.take();
  }

  /** The word after the next one. */
  get after(): Token | undefined {
    return this.peek(1);
  }

  peek(distance: number): Token | undefined {
    return this.#tokens[this.#at + distance];
  }

  skip(count: number): void {
    this.#at += count;
  }
}
