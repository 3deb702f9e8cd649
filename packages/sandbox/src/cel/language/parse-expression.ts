import {
  type Call,
  type Expression,
  type MapExpression,
  type ObjectExpression,
  type OptionalPart,
  partsOf,
} from "./expression.ts";
import { ExpressionProblem } from "./expression-problem.ts";
import { expandMacro } from "./macros.ts";
import { keywords, reservedWords } from "./reserved-words.ts";
import { unquote, unquoteBytes } from "./string-literal.ts";
import { operandStart, TokenReader } from "./token-reader.ts";
import type { Token } from "./tokens.ts";

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

const operandOrClose = (close: string): string => operandStart.replace("'(', ", `'(', '${close}', `);
const operandOrMark = operandStart.replace("'!', ", "'!', '?', ");

const relations: ReadonlySet<string> = new Set(["<", "<=", ">=", ">", "==", "!=", "in"]);

class Parser extends TokenReader {
  #depth = 0;
  /** How many operators and accesses are within each other; what is not in it has none. */
  readonly #heights = new Map<Expression, number>();

  run(): Expression {
    const expression = this.#expression();
    if (this.next.kind !== "end") {
      const { text } = this.next;
      const isOne = this.after?.kind === "end";
      this.fail(`${isOne ? "extraneous" : "mismatched"} input '${text}' expecting <EOF>`);
    }
    if (this.findings.length > 0) throw new ExpressionProblem(this.findings);
    return expression;
  }

  /** Remembers the height of an expression; `own` is 1 for what counts itself. */
  #measured(expression: Expression, parts: readonly Expression[], own: 0 | 1): Expression {
    let height = 0;
    for (const part of parts) height = Math.max(height, this.#heights.get(part) ?? 0);
    if (height + own > mostDepth) this.problem("max recursion depth exceeded", -1);
    if (height + own > 0) this.#heights.set(expression, height + own);
    return expression;
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
      const mark = this.accept("?");
      if (mark === undefined) return condition;
      const one = this.#or();
      this.expect(":");
      const parts = [condition, one, this.#expression()];
      return this.#measured(call("_?_:_", mark, ...parts), parts, 1);
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
    for (let token = this.accept(operator); token !== undefined; token = this.accept(operator)) {
      offset = token.offset;
      rest.push(operand());
    }
    if (rest.length === 0) return first;
    const parts = [first, ...rest];
    return this.#measured(call(`_${operator}_`, { offset }, ...parts), parts, 0);
  }

  #relation(): Expression {
    return this.#leftToRight(relations, () =>
      this.#leftToRight(additive, () => this.#leftToRight(multiplicative, () => this.#unary())),
    );
  }

  #leftToRight(operators: ReadonlySet<string>, operand: () => Expression): Expression {
    let left = operand();
    while (operators.has(this.next.text) && this.is(this.next.text)) {
      const operator = this.take();
      const name = operator.text === "in" ? "@in" : `_${operator.text}_`;
      const parts = [left, operand()];
      left = this.#measured(call(name, operator, ...parts), parts, 1);
    }
    return left;
  }

  #unary(): Expression {
    const first = this.next;
    if (this.is("!")) return this.#repeated("!", "!_", first);
    const after = this.after;
    if (!this.is("-") || after?.kind === "int" || after?.kind === "double") return this.#member();
    return this.#repeated("-", "-_", first);
  }

  /** Two of them are as good as none. */
  #repeated(symbol: string, name: string, first: Token): Expression {
    let count = 0;
    while (this.accept(symbol) !== undefined) count++;
    const operand = this.#member();
    return count % 2 === 0 ? operand : this.#measured(call(name, first, operand), [operand], 0);
  }

  #member(): Expression {
    let operand = this.#primary();
    for (;;) {
      const dot = this.accept(".");
      if (dot !== undefined) operand = this.#selected(operand, dot);
      else if (this.is("[")) operand = this.#indexed(operand, this.take());
      else return operand;
    }
  }

  #selected(operand: Expression, dot: Token): Expression {
    const isOptional = this.accept("?") !== undefined;
    const name = this.next;
    if (name.kind === "quotedName") this.problem("unsupported syntax: '`'", name.offset);
    if (/^(?:true|false|null)$/.test(name.text))
      this.fail(`mismatched input '${name.text}' expecting IDENTIFIER`);
    if (name.kind !== "name" || keywords.has(name.text)) {
      const end = name.kind === "end" ? dot.offset + 1 : name.offset + name.text.length;
      this.fail(`no viable alternative at input '${this.text.slice(dot.offset, end)}'`);
    }
    this.take();
    if (isOptional) {
      const field: Expression = { kind: "literal", value: name.text, offset: name.offset };
      return this.#measured(call("_?._", dot, operand, field), [operand], 1);
    }
    const open = this.accept("(");
    if (open === undefined) {
      const select: Expression = {
        kind: "select",
        operand,
        field: name.text,
        isTest: false,
        offset: dot.offset,
      };
      return this.#measured(select, [operand], 1);
    }
    const args = this.#arguments();
    const plain: Expression = { ...call(name.text, open, ...args), target: operand };
    return this.#measured(this.#expanded(name.text, operand, args, open) ?? plain, [operand, ...args], 1);
  }

  #indexed(operand: Expression, open: Token): Expression {
    const isOptional = this.accept("?") !== undefined;
    if (!isOptional && !this.startsOperand(this.next)) this.unexpected(operandOrMark);
    const index = this.within(() => {
      const inner = this.#expression();
      this.expect("]");
      return inner;
    });
    const access = call(isOptional ? "_[?_]" : "_[_]", open, operand, index);
    return this.#measured(access, [operand, index], 1);
  }

  #arguments(): readonly Expression[] {
    if (this.accept(")") !== undefined) return [];
    if (this.next.kind === "end") this.fail(`mismatched input '<EOF>' expecting ${operandOrClose(")")}`);
    return this.within(() => {
      const args = [this.#expression()];
      while (this.accept(",") !== undefined) args.push(this.#expression());
      this.expect(")");
      return args;
    });
  }

  #primary(): Expression {
    if (!this.startsOperand(this.next)) this.unexpected();
    const token = this.next;
    const { kind, text, offset } = token;
    if (kind === "name" && !keywords.has(text)) return this.#named("", token);
    if (kind === "symbol") return this.#bracketed(token);
    this.take();
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
    return this.fail(`mismatched input '${text}' expecting ${operandStart}`, token);
  }

  #badEscape(offset: number): never {
    return this.problem("unable to unescape string", offset);
  }

  #number({ kind, text }: Token, sign: string, offset: number): Expression {
    if (kind === "double") return { kind: "literal", value: Number(sign + text), offset };
    const value = BigInt(text) * (sign === "-" ? -1n : 1n);
    if (BigInt.asIntN(64, value) === value) return { kind: "literal", value, offset };
    return this.problem("invalid int literal", offset);
  }

  #unsigned({ text, offset }: Token): bigint {
    const value = BigInt(text.slice(0, -1));
    if (BigInt.asUintN(64, value) === value) return value;
    return this.problem("invalid uint literal", offset);
  }

  #bracketed(token: Token): Expression {
    this.take();
    const { text, offset } = token;
    switch (text) {
      case "(": {
        return this.within(() => {
          const inner = this.#expression();
          this.expect(")");
          return inner;
        });
      }
      case "[":
        return this.#container({ kind: "list", elements: this.#elements("]", () => this.#part()), offset });
      case "{":
        return this.#container({ kind: "map", entries: this.#entries(), offset });
      case "-":
        if (this.next.kind === "int" || this.next.kind === "double")
          return this.#number(this.take(), "-", offset);
        break;
      case ".":
        if (this.next.kind === "name" && !keywords.has(this.next.text)) return this.#named(".", this.next);
        break;
      default:
        break;
    }
    return this.fail(`mismatched input '${text}' expecting ${operandStart}`, token);
  }

  /** A variable, a call, or the name of a type with the fields of an object. */
  #named(prefix: string, token: Token): Expression {
    this.take();
    const { text, offset } = token;
    if (reservedWords.has(text)) this.problem(`reserved identifier: ${text}`, offset);
    const name = `${prefix}${text}`;
    const open = this.accept("(");
    if (open !== undefined) {
      const args = this.#arguments();
      const expression = this.#expanded(name, undefined, args, open) ?? call(name, open, ...args);
      return this.#measured(expression, args, 0);
    }
    return this.#object(name) ?? { kind: "identifier", name, offset };
  }

  #object(first: string): ObjectExpression | undefined {
    let name = first;
    let length = 0;
    for (; this.peek(length)?.text === "." && this.peek(length + 1)?.kind === "name"; length += 2) {
      name += `.${this.peek(length + 1)?.text}`;
    }
    const open = this.peek(length);
    if (open?.text !== "{") return undefined;
    this.skip(length + 1);
    const fields = this.#elements("}", () => {
      const isOptional = this.accept("?") !== undefined;
      const { text: field } = this.take();
      const { offset } = this.expect(":");
      return { field, isOptional, value: this.#expression(), offset };
    });
    return { kind: "object", typeName: name, fields, offset: open.offset };
  }

  #container(expression: Expression): Expression {
    return this.#measured(expression, partsOf(expression), 0);
  }

  /** A macro can be used wrongly, after other mistakes. */
  #expanded(
    name: string,
    target: Expression | undefined,
    args: readonly Expression[],
    { offset }: Token,
  ): Expression | undefined {
    try {
      return expandMacro(name, target, args, offset);
    } catch (error) {
      if (!(error instanceof ExpressionProblem)) throw error;
      throw new ExpressionProblem([...this.findings, ...error.findings], { cause: error });
    }
  }

  #part(): OptionalPart {
    const isOptional = this.accept("?") !== undefined;
    return { isOptional, value: this.#expression() };
  }

  #entries(): MapExpression["entries"] {
    return this.#elements("}", () => {
      const { value: key, isOptional } = this.#part();
      this.expect(":");
      return { key, isOptional, value: this.#expression() };
    });
  }

  #elements<T>(close: string, parse: () => T): readonly T[] {
    return this.within(() => {
      const elements: T[] = [];
      while (this.accept(close) === undefined) {
        elements.push(parse());
        if (this.accept(",") !== undefined) continue;
        this.expect(close, `{'${close}', ','}`);
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
