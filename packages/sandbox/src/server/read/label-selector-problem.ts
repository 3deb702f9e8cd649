import { KeelsonError } from "@keelson/core";
import { labelValueProblems, qualifiedNameProblems } from "../../resource/name-problems.ts";

/** The server's message for an invalid label selector; undefined for a valid one. */
export function labelSelectorProblem(selector: string): string | undefined {
  const reader = new SelectorReader(selector);
  try {
    reader.read();
    return undefined;
  } catch (problem) {
    if (problem instanceof SelectorProblem) return problem.message;
    throw problem;
  }
}

class SelectorProblem extends KeelsonError {
  static override readonly brand: string = "@keelson/sandbox.SelectorProblem";
  readonly code = "LABEL_SELECTOR";
}

const tokenPattern = /[ \t\r\n]*(==|!=|[=!(),<>]|[^ \t\r\n=!(),<>]+|$)/y;
const operators: ReadonlySet<string> = new Set(["in", "notin", "=", "==", "!=", ">", "<"]);

class SelectorReader {
  readonly #tokens: string[] = [];
  #at = 0;

  constructor(selector: string) {
    tokenPattern.lastIndex = 0;
    for (;;) {
      const token = tokenPattern.exec(selector)?.[1] ?? "";
      this.#tokens.push(token);
      if (token === "") break;
    }
  }

  read(): void {
    while (this.#next() !== "") {
      const first = this.#next();
      if (first !== "!" && !isWord(first)) this.#fail(first, "!, identifier, or 'end of string'");
      try {
        this.#requirement();
      } catch (problem) {
        if (!(problem instanceof SelectorProblem)) throw problem;
        throw new SelectorProblem(`unable to parse requirement: ${problem.message}`, { cause: problem });
      }
      const after = this.#take();
      if (after === "") return;
      if (after !== ",") this.#fail(after, "',' or 'end of string'");
      const next = this.#next();
      if (next !== "!" && !isWord(next)) this.#fail(next, "identifier after ','");
    }
  }

  #requirement(): void {
    const isNegated = this.#next() === "!";
    if (isNegated) this.#take();
    const key = this.#take();
    if (!isWord(key)) this.#fail(key, "identifier");
    const [problem] = qualifiedNameProblems(key);
    if (problem !== undefined) {
      throw new SelectorProblem(`<nil>: Invalid value: ${JSON.stringify(key)}: ${problem}`);
    }
    if (isNegated || this.#next() === "" || this.#next() === ",") return;
    const operator = this.#take();
    if (!operators.has(operator)) this.#fail(operator, "in, notin, =, ==, !=, gt, lt");
    if (operator === "in" || operator === "notin") this.#check(key, this.#list());
    else if (operator === "<" || operator === ">") this.#checkNumber(this.#value());
    else this.#check(key, [this.#value()]);
  }

  #check(key: string, values: readonly string[]): void {
    for (const [index, value] of values.toSorted().entries()) {
      const [problem] = labelValueProblems(value);
      if (problem !== undefined) {
        throw new SelectorProblem(
          `values[${index}][${key}]: Invalid value: ${JSON.stringify(value)}: ${problem}`,
        );
      }
    }
  }

  #checkNumber(value: string): void {
    if (/^[+-]?\d+$/.test(value)) return;
    const why = "for 'Gt', 'Lt' operators, the value must be an integer";
    throw new SelectorProblem(`values[0]: Invalid value: ${JSON.stringify(value)}: ${why}`);
  }

  #value(): string {
    if (this.#next() === "" || this.#next() === ",") return "";
    const value = this.#take();
    if (!isWord(value)) this.#fail(value, "identifier");
    return value;
  }

  #list(): readonly string[] {
    const opening = this.#take();
    if (opening !== "(") throw new SelectorProblem(`found '${opening}' expected: '('`);
    if (this.#next() === ")") {
      this.#take();
      const why = "for 'in', 'notin' operators, values set can't be empty";
      throw new SelectorProblem(`values: Invalid value: []: ${why}`);
    }
    if (this.#next() !== "," && !isWord(this.#next())) this.#fail(this.#next(), "',', ')' or identifier");
    const values = new Set<string>();
    for (;;) {
      const token = this.#take();
      if (token === ")") break;
      if (token === ",") {
        if (this.#next() === "," || this.#next() === ")" || values.size === 0) values.add("");
      } else if (isWord(token)) {
        values.add(token);
        if (this.#next() !== "," && this.#next() !== ")") this.#fail(this.#next(), "',' or ')'");
      } else this.#fail(token, "',', or identifier");
    }
    return [...values];
  }

  #next(): string {
    return this.#tokens[this.#at] ?? "";
  }

  #take(): string {
    const token = this.#next();
    this.#at += 1;
    return token;
  }

  #fail(found: string, expected: string): never {
    throw new SelectorProblem(`found '${found}', expected: ${expected}`);
  }
}

function isWord(token: string): boolean {
  return token !== "" && !/^[=!(),<>]/.test(token);
}
