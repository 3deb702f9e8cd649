import type { BodyFraming } from "./body-framing.ts";
import { MalformedHttpError } from "./response-head.ts";

const carriageReturn = 0x0d;
const lineFeed = 0x0a;
/** No server has that much to say about a chunk, or after the last one. */
const longestLine = 1 << 14;

/**
 * What is read next. A chunk is a line with its size, the data, and the end of a line; after the last one, whose size is
 * 0, lines of trailers and an empty line follow.
 */
type Expected = "size" | "data" | "end of data" | "trailers" | "nothing";

/** A body that comes in chunks (RFC 9112, section 7.1), which may be cut anywhere on their way. */
export class ChunkedBody implements BodyFraming {
  readonly endsWithConnection = false;
  #expected: Expected = "size";
  /** Of the data of this chunk. */
  #left = 0;
  /** A line as far as it has come, byte for byte. */
  #line = "";

  get isOver(): boolean {
    return this.#expected === "nothing";
  }

  read(bytes: Uint8Array, pass: (part: Uint8Array) => void): void {
    let position = 0;
    while (position < bytes.length && this.#expected !== "nothing") {
      position =
        this.#expected === "data" ? this.#data(bytes, position, pass) : this.#lineFrom(bytes, position);
    }
  }

  #data(bytes: Uint8Array, start: number, pass: (part: Uint8Array) => void): number {
    const end = Math.min(bytes.length, start + this.#left);
    pass(bytes.subarray(start, end));
    this.#left -= end - start;
    if (this.#left === 0) this.#expected = "end of data";
    return end;
  }

  #lineFrom(bytes: Uint8Array, start: number): number {
    const end = bytes.indexOf(lineFeed, start);
    const stop = end === -1 ? bytes.length : end;
    if (this.#line.length + stop - start > longestLine) throw new MalformedHttpError("a line is too long");
    for (let position = start; position < stop; position++)
      this.#line += String.fromCharCode(bytes[position] ?? 0);
    if (end === -1) return stop;
    const line =
      this.#line.charCodeAt(this.#line.length - 1) === carriageReturn ? this.#line.slice(0, -1) : this.#line;
    this.#line = "";
    this.#take(line);
    return end + 1;
  }

  #take(line: string): void {
    if (this.#expected === "size") {
      this.#left = sizeIn(line);
      this.#expected = this.#left === 0 ? "trailers" : "data";
    } else if (this.#expected === "end of data") {
      if (line !== "") throw new MalformedHttpError("a chunk is longer than it says");
      this.#expected = "size";
    } else if (line === "") {
      this.#expected = "nothing";
    }
  }
}

/** Extensions of a chunk, after a semicolon, mean nothing to us. Not more digits than a safe number has. */
const sizeLine = /^([0-9a-f]{1,13})[ \t]*(?:;|$)/i;

function sizeIn(line: string): number {
  const digits = sizeLine.exec(line)?.[1];
  if (digits === undefined)
    throw new MalformedHttpError(`the size of a chunk is ${JSON.stringify(line.slice(0, 40))}`);
  return Number.parseInt(digits, 16);
}
