/**
 * Parses JSON so that `formatJson` writes what was read: an integer of 64 bits that a number would round, such as
 * 9007199254740993, is a bigint. Larger ones are numbers, because the API server takes them for floating-point numbers.
 * Throws a SyntaxError.
 */
export function parseJson(text: string): unknown {
  return hasLongDigits(text) ? parseExactly(text) : JSON.parse(text);
}

/**
 * Writes a value as JSON, nested however deeply, with a bigint as the integer that it is; JSON.stringify refuses both. A
 * value that is no JSON, such as undefined or a function, is `null`.
 */
export function formatJson(value: unknown): string {
  // An application may have defined it, mostly to write a bigint as a string.
  if ("toJSON" in BigInt.prototype) return new JsonWriter().write(value);
  try {
    return JSON.stringify(value) ?? "null";
  } catch (error) {
    // The engine recurses, and refuses a bigint. For a cycle the writer throws as well.
    if (error instanceof RangeError || error instanceof TypeError) return new JsonWriter().write(value);
    throw error;
  }
}

/** As many as the smallest integer has that a number would round: 9007199254740993. */
const longDigits = 16;
const zero = 0x30;
const nine = 0x39;
const quote = 0x22;
const backslash = 0x5c;

/** Whether there are so many digits in a row, in a string or not. A row of n digits covers every nth position once. */
function hasLongDigits(text: string): boolean {
  for (let at = longDigits - 1; at < text.length; at += longDigits) {
    if (!isDigit(text.charCodeAt(at))) continue;
    let start = at;
    while (start > 0 && isDigit(text.charCodeAt(start - 1))) start -= 1;
    if (digitsEnd(text, at) - start >= longDigits) return true;
  }
  return false;
}

function isDigit(code: number): boolean {
  return code >= zero && code <= nine;
}

function digitsEnd(text: string, start: number): number {
  let end = start;
  while (isDigit(text.charCodeAt(end))) end += 1;
  return end;
}

/**
 * Parses with each such integer as a marked string in its place, which is then replaced. The reviver of JSON.parse would
 * see the digits as well, but it recurses, and is called with every value.
 */
function parseExactly(text: string): unknown {
  // With strings in their places, integers would be accepted where JSON has none: as keys.
  const rounded: unknown = JSON.parse(text);
  const integers = roundedIntegers(text);
  if (integers.length === 0) return rounded;
  const mark = unusedMark(text);
  let marked = "";
  let end = 0;
  for (const integer of integers) {
    marked += `${text.slice(end, integer.start)}"${mark}${text.slice(integer.start, integer.end)}"`;
    end = integer.end;
  }
  return unmarked(JSON.parse(marked + text.slice(end)), mark);
}

/** A text that no string of the JSON contains, whether it is escaped or not. */
function unusedMark(text: string): string {
  const uses = text.match(/\ue000|\\ue000/gi) ?? [];
  return "\ue000".repeat(uses.length + 1);
}

interface Range {
  readonly start: number;
  readonly end: number;
}

function roundedIntegers(text: string): readonly Range[] {
  const found: Range[] = [];
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === quote) {
      at = closingQuote(text, at);
    } else if (isDigit(code)) {
      const start = text[at - 1] === "-" ? at - 1 : at;
      const end = digitsEnd(text, at);
      if (end - at >= longDigits && isInteger(text, start, end) && isRounded(text.slice(start, end)))
        found.push({ start, end });
      at = end - 1;
    }
  }
  return found;
}

/** Neither the digits before or after a point, nor an exponent. */
function isInteger(text: string, start: number, end: number): boolean {
  return !/[.eE+]/.test(text.charAt(end)) && !/[.eE+]/.test(text.charAt(start - 1));
}

/** A number that was written by JavaScript is not rounded, however large it is. */
function isRounded(digits: string): boolean {
  return String(Number(digits)) !== digits && String(BigInt.asIntN(64, BigInt(digits))) === digits;
}

function closingQuote(text: string, opening: number): number {
  let at = opening + 1;
  while (at < text.length && text.charCodeAt(at) !== quote) at += text.charCodeAt(at) === backslash ? 2 : 1;
  return at;
}

function unmarked(value: unknown, mark: string): unknown {
  const top: Record<string, unknown> = { value };
  const open: object[] = [top];
  for (let container = open.pop(); container !== undefined; container = open.pop()) {
    for (const [name, field] of Object.entries(container)) {
      if (typeof field === "object" && field !== null) open.push(field);
      else if (typeof field === "string" && field.startsWith(mark))
        Object.defineProperty(container, name, { value: BigInt(field.slice(mark.length)) });
    }
  }
  return top.value;
}

/** What is written after the elements that an object or array has before. */
interface OpenContainer {
  readonly container: object;
  readonly rest: Iterator<[string | undefined, unknown]>;
  readonly closer: string;
  isEmpty: boolean;
}

/** Writes JSON without recursion. */
class JsonWriter {
  #text = "";
  readonly #open: OpenContainer[] = [];
  readonly #containers = new Set<object>();

  write(value: unknown): string {
    this.#write(jsonValueOf(value, ""));
    for (let inner = this.#open.at(-1); inner !== undefined; inner = this.#open.at(-1)) this.#continue(inner);
    return this.#text;
  }

  #continue(inner: OpenContainer): void {
    const next = inner.rest.next();
    if (next.done === true) {
      this.#text += inner.closer;
      this.#open.pop();
      this.#containers.delete(inner.container);
      return;
    }
    const [name, field] = next.value;
    const value = jsonValueOf(field, name ?? "");
    const isNoJson = value === undefined || typeof value === "function" || typeof value === "symbol";
    if (isNoJson && name !== undefined) return;
    if (!inner.isEmpty) this.#text += ",";
    inner.isEmpty = false;
    if (name !== undefined) this.#text += `${JSON.stringify(name)}:`;
    this.#write(value);
  }

  #write(value: unknown): void {
    if (typeof value === "bigint") this.#text += String(value);
    else if (typeof value !== "object" || value === null) this.#text += JSON.stringify(value) ?? "null";
    else this.#begin(value);
  }

  #begin(container: object): void {
    if (this.#containers.has(container)) throw new TypeError("write JSON: the value contains itself");
    this.#containers.add(container);
    const isList = Array.isArray(container);
    this.#text += isList ? "[" : "{";
    this.#open.push({
      container,
      rest: isList ? elementsOf(container) : Object.entries(container)[Symbol.iterator](),
      closer: isList ? "]" : "}",
      isEmpty: true,
    });
  }
}

function* elementsOf(list: readonly unknown[]): Generator<[undefined, unknown]> {
  for (const element of list) yield [undefined, element];
}

/** What a value such as a Date is in JSON. */
function jsonValueOf(value: unknown, name: string): unknown {
  if (typeof value !== "object" || value === null || !("toJSON" in value)) return value;
  return typeof value.toJSON === "function" ? value.toJSON(name) : value;
}
