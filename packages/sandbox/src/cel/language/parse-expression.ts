import type { Call, Expression, MapExpression, ObjectExpression, OptionalPart } from "./expression.ts";
import { ExpressionProblem, type Finding } from "./expression-problem.ts";
import { expandMacro } from "./macros.ts";
import { keywords, reservedWords } from "./reserved-words.ts";
import { unquote, unquoteBytes } from "./string-literal.ts";
import { type Token, tokensOf } from "./tokens.ts";

const mostCharacters = 100_000;
const mostDepth = 250;

/** Reads an expression and expands its macros; throws an ExpressionProblem for one that is none. */
export function parseExpression(text: string): Expression {
  const length = [...text].length;
  if (length > mostCharacters) {
    const size = `expression code point size exceeds limit: size: ${length}, limit ${mostCharacters}`;
    throw new ExpressionProblem([{ text: size, offset: -1 }]);
  }
  return new Parser(text).run();
}

const operandStart =
  "{'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}";
const operandOrClose = (close: string): string => operandStart.replace("'(', ", `'(', '${close}', `);
const operandOrMark = operandStart.replace("'!', ", "'!', '?', ");

const relations: ReadonlySet<string> = new Set(["<", "<=", ">=", ">", "==", "!=", "in"]);

class Parser {
  readonly #text: string;
  readonly #tokens: readonly Token[];
  readonly #findings: Finding[];
  #at = 0;
  #depth = 0;
  /** Brackets that are not closed yet. */
  #open = 0;

  constructor(text: string) {
    const { tokens, findings } = tokensOf(text);
    this.#text = text;
    this.#tokens = tokens;
    this.#findings = [...findings];
  }

  run(): Expression {
    const expression = this.#expression();
    if (this.#next.kind !== "end") {
      const { text } = this.#next;
      const isOne = this.#tokens[this.#at + 1]?.kind === "end";
      this.#fail(`${isOne ? "extraneous" : "mismatched"} input '${text}' expecting <EOF>`);
    }
    if (this.#findings.length > 0) throw new ExpressionProblem(this.#findings);
    return expression;
  }

  get #next(): Token {
    const token = this.#tokens[this.#at] ?? this.#tokens.at(-1);
    if (token === undefined) throw new TypeError("there is always an end");
    return token;
  }

  #take(): Token {
    const token = this.#next;
    this.#at++;
    return token;
  }

  #is(text: string): boolean {
    const { kind, text: found } = this.#next;
    return found === text && (kind === "symbol" || keywords.has(text));
  }

  #accept(text: string): Token | undefined {
    return this.#is(text) ? this.#take() : undefined;
  }

  /** One word too many or too few is reported, and what follows is read as if it were not. */
  #expect(text: string, expected: string = `'${text}'`): Token {
    const found = this.#accept(text);
    if (found !== undefined) return found;
    const { text: given } = this.#next;
    if (this.#tokens[this.#at + 1]?.text === text) {
      this.#report(`extraneous input '${given}' expecting ${expected}`);
      this.#take();
      return this.#take();
    }
    if (expected === `'${text}'` && this.#canFollow(text)) {
      this.#report(`missing ${expected} at '${given}'`);
      return { ...this.#next, text };
    }
    return this.#fail(`mismatched input '${given}' expecting ${expected}`);
  }

  /** Whether the next word makes sense after one that is missing. */
  #canFollow(missing: string): boolean {
    const { kind, text } = this.#next;
    if (missing === ":") return this.#startsOperand(this.#next);
    return kind === "end" ? this.#open === 1 : kind === "symbol" && !/^[({!]$/.test(text);
  }

  #startsOperand({ kind, text }: Token): boolean {
    if (kind === "end" || kind === "quotedName") return false;
    return kind === "symbol" ? /^[[{(.!-]$/.test(text) : text !== "in";
  }

  #report(text: string, { offset }: { readonly offset: number } = this.#next): void {
    this.#findings.push({ text: `Syntax error: ${text}`, offset });
  }

  #fail(text: string, { offset }: { readonly offset: number } = this.#next): never {
    this.#report(text, { offset });
    throw new ExpressionProblem(this.#findings);
  }

  #problem(text: string, offset: number): never {
    throw new ExpressionProblem([...this.#findings, { text, offset }]);
  }

  /** What is between brackets, the first of which is read already. */
  #within<T>(parse: () => T): T {
    this.#open++;
    const inner = parse();
    this.#open--;
    return inner;
  }

  #nested<T>(parse: () => T): T {
    if (++this.#depth > mostDepth) {
      const text = `expression recursion limit exceeded: ${mostDepth}`;
      throw new ExpressionProblem([{ text, offset: -1 }]);
    }
    const parsed = parse();
    this.#depth--;
    return parsed;
  }

  #expression(): Expression {
    return this.#nested(() => {
      const condition = this.#or();
      const mark = this.#accept("?");
      if (mark === undefined) return condition;
      const one = this.#or();
      this.#expect(":");
      return call("_?_:_", mark, condition, one, this.#expression());
    });
  }

  #or(): Expression {
    return this.#joined("||", () => this.#joined("&&", () => this.#relation()));
  }

  /** All that one operator joins is one call, however much it is. */
  #joined(operator: "||" | "&&", operand: () => Expression): Expression {
    const first = operand();
    const rest: Expression[] = [];
    let offset = 0;
    for (let token = this.#accept(operator); token !== undefined; token = this.#accept(operator)) {
      offset = token.offset;
      rest.push(operand());
    }
    return rest.length === 0 ? first : call(`_${operator}_`, { offset }, first, ...rest);
  }

  #relation(): Expression {
    return this.#leftToRight(relations, () =>
      this.#leftToRight(additive, () => this.#leftToRight(multiplicative, () => this.#unary())),
    );
  }

  #leftToRight(operators: ReadonlySet<string>, operand: () => Expression): Expression {
    let left = operand();
    while (operators.has(this.#next.text) && this.#is(this.#next.text)) {
      const operator = this.#take();
      const name = operator.text === "in" ? "@in" : `_${operator.text}_`;
      left = call(name, operator, left, operand());
    }
    return left;
  }

  #unary(): Expression {
    const first = this.#next;
    if (this.#is("!")) return this.#repeated("!", "!_", first);
    const after = this.#tokens[this.#at + 1];
    if (!this.#is("-") || after?.kind === "int" || after?.kind === "double") return this.#member();
    return this.#repeated("-", "-_", first);
  }

  /** Two of them are as good as none. */
  #repeated(symbol: string, name: string, first: Token): Expression {
    let count = 0;
    while (this.#accept(symbol) !== undefined) count++;
    const operand = this.#member();
    return count % 2 === 0 ? operand : call(name, first, operand);
  }

  #member(): Expression {
    let operand = this.#primary();
    for (;;) {
      const dot = this.#accept(".");
      if (dot !== undefined) operand = this.#selected(operand, dot);
      else if (this.#is("[")) operand = this.#indexed(operand, this.#take());
      else return operand;
    }
  }

  #selected(operand: Expression, dot: Token): Expression {
    const isOptional = this.#accept("?") !== undefined;
    const name = this.#next;
    if (name.kind === "quotedName") this.#problem("unsupported syntax: '`'", name.offset);
    if (/^(?:true|false|null)$/.test(name.text))
      this.#fail(`mismatched input '${name.text}' expecting IDENTIFIER`);
    if (name.kind !== "name" || keywords.has(name.text)) {
      const end = name.kind === "end" ? dot.offset + 1 : name.offset + name.text.length;
      this.#fail(`no viable alternative at input '${this.#text.slice(dot.offset, end)}'`);
    }
    this.#take();
    if (isOptional) {
      const field: Expression = { kind: "literal", value: name.text, offset: name.offset };
      return call("_?._", dot, operand, field);
    }
    const open = this.#accept("(");
    if (open === undefined)
      return { kind: "select", operand, field: name.text, isTest: false, offset: dot.offset };
    const args = this.#arguments();
    return (
      expandMacro(name.text, operand, args, open.offset) ?? {
        ...call(name.text, open, ...args),
        target: operand,
      }
    );
  }

  #indexed(operand: Expression, open: Token): Expression {
    const isOptional = this.#accept("?") !== undefined;
    if (!isOptional && !this.#startsOperand(this.#next)) this.#unexpected(operandOrMark);
    const index = this.#within(() => {
      const inner = this.#expression();
      this.#expect("]");
      return inner;
    });
    return call(isOptional ? "_[?_]" : "_[_]", open, operand, index);
  }

  #arguments(): readonly Expression[] {
    if (this.#accept(")") !== undefined) return [];
    if (this.#next.kind === "end") this.#fail(`mismatched input '<EOF>' expecting ${operandOrClose(")")}`);
    return this.#within(() => {
      const args = [this.#expression()];
      while (this.#accept(",") !== undefined) args.push(this.#expression());
      this.#expect(")");
      return args;
    });
  }

  /** A word that no operand begins with is skipped if the one after it does. */
  #unexpected(expected = operandStart): void {
    const { text, kind } = this.#next;
    const after = this.#tokens[this.#at + 1];
    const isSkipped = kind !== "end" && after !== undefined && this.#startsOperand(after);
    if (!isSkipped) this.#fail(`mismatched input '${text}' expecting ${expected}`);
    this.#report(`extraneous input '${text}' expecting ${expected}`);
    this.#take();
  }

  #primary(): Expression {
    if (!this.#startsOperand(this.#next)) this.#unexpected();
    const token = this.#next;
    const { kind, text, offset } = token;
    if (kind === "name" && !keywords.has(text)) return this.#named("", token);
    if (kind === "symbol") return this.#bracketed(token);
    this.#take();
    switch (kind) {
      case "name":
        if (text === "in") break;
        return { kind: "literal", value: text === "null" ? null : text === "true", offset };
      case "int":
      case "double":
        return this.#number(token, "", offset);
      case "uint":
        return { kind: "literal", value: { unsigned: this.#unsigned(token) }, offset };
      case "string":
        return { kind: "literal", value: unquote(text) ?? this.#badEscape(offset), offset };
      case "bytes":
        return { kind: "literal", value: unquoteBytes(text) ?? this.#badEscape(offset), offset };
      default:
        break;
    }
    return this.#fail(`mismatched input '${text}' expecting ${operandStart}`, token);
  }

  #badEscape(offset: number): never {
    return this.#problem("unable to unescape string", offset);
  }

  #number({ kind, text }: Token, sign: string, offset: number): Expression {
    if (kind === "double") return { kind: "literal", value: Number(sign + text), offset };
    const value = BigInt(text) * (sign === "-" ? -1n : 1n);
    if (BigInt.asIntN(64, value) === value) return { kind: "literal", value, offset };
    return this.#problem("invalid int literal", offset);
  }

  #unsigned({ text, offset }: Token): bigint {
    const value = BigInt(text.slice(0, -1));
    if (BigInt.asUintN(64, value) === value) return value;
    return this.#problem("invalid uint literal", offset);
  }

  #bracketed(token: Token): Expression {
    this.#take();
    const { text, offset } = token;
    switch (text) {
      case "(": {
        return this.#within(() => {
          const inner = this.#expression();
          this.#expect(")");
          return inner;
        });
      }
      case "[":
        return { kind: "list", elements: this.#elements("]", () => this.#part()), offset };
      case "{":
        return { kind: "map", entries: this.#entries(), offset };
      case "-":
        if (this.#next.kind === "int" || this.#next.kind === "double")
          return this.#number(this.#take(), "-", offset);
        break;
      case ".":
        if (this.#next.kind === "name" && !keywords.has(this.#next.text)) return this.#named(".", this.#next);
        break;
      default:
        break;
    }
    return this.#fail(`mismatched input '${text}' expecting ${operandStart}`, token);
  }

  /** A variable, a call, or the name of a type with the fields of an object. */
  #named(prefix: string, token: Token): Expression {
    this.#take();
    const { text, offset } = token;
    if (reservedWords.has(text)) this.#problem(`reserved identifier: ${text}`, offset);
    const name = `${prefix}${text}`;
    const open = this.#accept("(");
    if (open !== undefined) {
      const args = this.#arguments();
      return expandMacro(name, undefined, args, open.offset) ?? call(name, open, ...args);
    }
    return this.#object(name) ?? { kind: "identifier", name, offset };
  }

  #object(first: string): ObjectExpression | undefined {
    let name = first;
    let at = this.#at;
    for (; this.#tokens[at]?.text === "." && this.#tokens[at + 1]?.kind === "name"; at += 2) {
      name += `.${this.#tokens[at + 1]?.text}`;
    }
    const open = this.#tokens[at];
    if (open?.text !== "{") return undefined;
    this.#at = at + 1;
    const fields = this.#elements("}", () => {
      const isOptional = this.#accept("?") !== undefined;
      const { text: field } = this.#take();
      const { offset } = this.#expect(":");
      return { field, isOptional, value: this.#expression(), offset };
    });
    return { kind: "object", typeName: name, fields, offset: open.offset };
  }

  #part(): OptionalPart {
    const isOptional = this.#accept("?") !== undefined;
    return { isOptional, value: this.#expression() };
  }

  #entries(): MapExpression["entries"] {
    return this.#elements("}", () => {
      const { value: key, isOptional } = this.#part();
      this.#expect(":");
      return { key, isOptional, value: this.#expression() };
    });
  }

  #elements<T>(close: string, parse: () => T): readonly T[] {
    return this.#within(() => {
      const elements: T[] = [];
      while (this.#accept(close) === undefined) {
        elements.push(parse());
        if (this.#accept(",") !== undefined) continue;
        this.#expect(close, `{'${close}', ','}`);
        break;
      }
      return elements;
    });
  }
}

const additive: ReadonlySet<string> = new Set(["+", "-"]);
const multiplicative: ReadonlySet<string> = new Set(["*", "/", "%"]);

function call(name: string, { offset }: { readonly offset: number }, ...args: readonly Expression[]): Call {
  return { kind: "call", name, args, offset };
}
