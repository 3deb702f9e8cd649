import { draft, KeelsonError } from "@keelson/core";

/** JSON as it was written: objects keep the order and the repetition of their fields, numbers their digits. */
export type JsonNode =
  | { readonly kind: "object"; readonly entries: readonly JsonEntry[] }
  | { readonly kind: "array"; readonly items: readonly JsonNode[] }
  | { readonly kind: "string"; readonly value: string }
  | { readonly kind: "number"; readonly text: string }
  | { readonly kind: "bool"; readonly value: boolean }
  | { readonly kind: "null" };

interface JsonEntry {
  readonly name: string;
  readonly node: JsonNode;
}

/** Deeper nesting is refused. */
export const maxJsonDepth = 10_000;

export function tooDeep(opening: string): JsonSyntaxError {
  return invalidCharacter(opening, "exceeded max depth");
}

/** Parses JSON the slow way, for messages that need more than its value. Throws JsonSyntaxError. */
export function parseDocument(text: string): JsonNode {
  return new DocumentReader(text).read();
}

/** An object or array that is read, and where its parts are put. */
type OpenNode =
  | { readonly kind: "object"; readonly entries: JsonEntry[]; name: string }
  | { readonly kind: "array"; readonly items: JsonNode[] };

class DocumentReader {
  readonly #text: string;
  #at = 0;
  /** Not by recursion: a document may be nested deeper than the stack. */
  readonly #open: OpenNode[] = [];

  constructor(text: string) {
    this.#text = text;
  }

  read(): JsonNode {
    for (;;) {
      let node = this.#begin();
      if (node === undefined) continue;
      // A value is over, and with it perhaps what it is in.
      for (let outer = this.#open.at(-1); outer !== undefined; outer = this.#open.at(-1)) {
        if (outer.kind === "object") outer.entries.push({ name: outer.name, node });
        else outer.items.push(node);
        if (!this.#isOver(outer)) break;
        node = this.#close();
      }
      if (this.#open.length > 0) continue;
      this.#end();
      return node;
    }
  }

  /** A value that is complete; undefined for an object or array that has parts, which come next. */
  #begin(): JsonNode | undefined {
    const character = this.#skipSpace();
    if (character === "{" || character === "[") return this.#container(character);
    if (character === '"') return { kind: "string", value: this.#string() };
    if (character === "t") return this.#literal("true", { kind: "bool", value: true });
    if (character === "f") return this.#literal("false", { kind: "bool", value: false });
    if (character === "n") return this.#literal("null", { kind: "null" });
    if (character === "-" || isDigit(character)) return { kind: "number", text: this.#number() };
    throw this.#unexpected("looking for beginning of value");
  }

  #container(opening: "{" | "["): JsonNode | undefined {
    if (this.#open.length >= maxJsonDepth) throw tooDeep(opening);
    this.#at += 1;
    const node: OpenNode =
      opening === "{" ? { kind: "object", entries: [], name: "" } : { kind: "array", items: [] };
    this.#open.push(node);
    if (this.#skipSpace() === closerOf(node)) return this.#close();
    if (node.kind === "object") node.name = this.#name();
    return undefined;
  }

  /** Whether nothing follows in an object or array. */
  #isOver(node: OpenNode): boolean {
    const character = this.#skipSpace();
    if (character === closerOf(node)) return true;
    if (character !== ",")
      throw this.#unexpected(node.kind === "object" ? "after object key:value pair" : "after array element");
    this.#at += 1;
    if (node.kind === "object") node.name = this.#name();
    return false;
  }

  #close(): JsonNode {
    this.#at += 1;
    const node = this.#open.pop();
    if (node === undefined) throw unexpectedEnd();
    return node.kind === "object" ? { kind: "object", entries: node.entries } : node;
  }

  #name(): string {
    if (this.#skipSpace() !== '"') throw this.#unexpected("looking for beginning of object key string");
    const name = this.#string();
    if (this.#skipSpace() !== ":") throw this.#unexpected("after object key");
    this.#at += 1;
    return name;
  }

  #end(): void {
    if (this.#skipSpace() !== "") throw this.#unexpected("after top-level value");
  }

  #string(): string {
    const start = this.#at;
    this.#at += 1;
    for (;;) {
      const character = this.#peek();
      if (character === "") throw unexpectedEnd();
      if (character < " ") throw this.#unexpected("in string literal");
      this.#at += 1;
      if (character === '"') break;
      if (character === "\\") this.#escape();
    }
    return JSON.parse(this.#text.slice(start, this.#at));
  }

  #escape(): void {
    this.#take(/["\\/bfnrtu]/, "in string escape code", false);
    if (this.#text.charAt(this.#at - 1) !== "u") return;
    for (let digit = 0; digit < 4; digit++)
      this.#take(/[\da-fA-F]/, "in \\u hexadecimal character escape", false);
  }

  #number(): string {
    const start = this.#at;
    if (this.#peek() === "-") {
      this.#at += 1;
      if (!isDigit(this.#peek())) throw this.#unexpected("in numeric literal", true);
    }
    if (this.#peek() === "0") this.#at += 1;
    else this.#digits();
    if (this.#peek() === ".") {
      this.#at += 1;
      this.#take(/\d/, "after decimal point in numeric literal", true);
      this.#digits();
    }
    if (this.#peek() === "e" || this.#peek() === "E") {
      this.#at += 1;
      if (this.#peek() === "+" || this.#peek() === "-") this.#at += 1;
      this.#take(/\d/, "in exponent of numeric literal", true);
      this.#digits();
    }
    return this.#text.slice(start, this.#at);
  }

  #digits(): void {
    while (isDigit(this.#peek())) this.#at += 1;
  }

  #literal(word: string, node: JsonNode): JsonNode {
    for (const letter of word) {
      if (this.#peek() !== letter) throw this.#unexpected(`in literal ${word} (expecting '${letter}')`, true);
      this.#at += 1;
    }
    return node;
  }

  #take(allowed: RegExp, where: string, readsSpaceAtEnd: boolean): void {
    if (!allowed.test(this.#peek())) throw this.#unexpected(where, readsSpaceAtEnd);
    this.#at += 1;
  }

  /** Go's scanner is fed a space at the end of the text, which its messages about literals and numbers show. */
  #unexpected(where: string, readsSpaceAtEnd = false): JsonSyntaxError {
    const character = this.#peek();
    if (character !== "") return invalidCharacter(this.#text.slice(this.#at, this.#at + 2), where);
    return readsSpaceAtEnd ? invalidCharacter(" ", where) : unexpectedEnd();
  }

  #peek(): string {
    return this.#text.charAt(this.#at);
  }

  #skipSpace(): string {
    for (;;) {
      const character = this.#peek();
      if (character !== " " && character !== "\n" && character !== "\t" && character !== "\r")
        return character;
      this.#at += 1;
    }
  }
}

function closerOf({ kind }: OpenNode): "}" | "]" {
  return kind === "object" ? "}" : "]";
}

function isDigit(character: string): boolean {
  return character >= "0" && character <= "9" && character.length === 1;
}

/** How a number is written in the text, at a path that leads to it; undefined if there is no text. */
export function numberText(text: string | undefined, path: readonly (string | number)[]): string | undefined {
  if (text === undefined) return undefined;
  let node: JsonNode | undefined = parseDocument(text);
  for (const part of path) {
    if (node?.kind === "array" && typeof part === "number") node = node.items[part];
    else if (node?.kind === "object") node = node.entries.findLast(({ name }) => name === part)?.node;
    else return undefined;
  }
  return node?.kind === "number" ? node.text : undefined;
}

/** Text that is not JSON; the message is in the words of the API server's decoder. */
export class JsonSyntaxError extends KeelsonError {
  static override readonly brand: string = "@keelson/sandbox.JsonSyntaxError";
  readonly code = "JSON_SYNTAX";
}

function unexpectedEnd(): JsonSyntaxError {
  return new JsonSyntaxError("unexpected end of JSON input");
}

/** A character where it cannot be; `where` such as `after object key`. */
function invalidCharacter(character: string, where: string): JsonSyntaxError {
  return new JsonSyntaxError(`invalid character ${quotedCharacter(character)} ${where}`);
}

const escapes: Readonly<Record<string, string>> = {
  "'": "\\'",
  "\\": "\\\\",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
  "\b": "\\b",
  "\f": "\\f",
  "\v": "\\v",
  "\x07": "\\a",
};

/** The decoder works on bytes: of other characters than ASCII ones it names the first byte. */
function quotedCharacter(character: string): string {
  const byte = firstByte(character);
  const shown = String.fromCharCode(byte);
  const isPrintable = byte >= 0x20 && byte !== 0x7f && !(byte >= 0x80 && byte <= 0xa0) && byte !== 0xad;
  const hex = byte.toString(16).padStart(2, "0");
  const escaped = byte >= 0x80 ? `\\u00${hex}` : `\\x${hex}`;
  return `'${escapes[shown] ?? (isPrintable ? shown : escaped)}'`;
}

function firstByte(character: string): number {
  const codePoint = character.codePointAt(0) ?? 0;
  if (codePoint < 0x80) return codePoint;
  if (codePoint < 0x800) return 0xc0 | (codePoint >> 6);
  return codePoint < 0x10000 ? 0xe0 | (codePoint >> 12) : 0xf0 | (codePoint >> 18);
}

/** An object of JSON; neither null nor a list. */
export type JsonObject = Record<string, unknown>;

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A copy of JSON that shares nothing with it. */
export function copyJson<T>(value: T): T;
export function copyJson(value: unknown): unknown {
  return draft(value);
}

/** An own field: data may have a key such as `constructor` or `__proto__`. */
export function fieldOf(object: Readonly<JsonObject>, key: string): unknown {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

/** Sets an own field. An assignment to `__proto__` would change the prototype instead. */
export function setField(object: JsonObject, key: string, value: unknown): void {
  if (key !== "__proto__") object[key] = value;
  else Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
}
