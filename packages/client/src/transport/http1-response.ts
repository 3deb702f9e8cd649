/** The status and headers of a response. */
interface ResponseHead {
  readonly status: number;
  /** By names in lower case; one that came several times has its values as a list. */
  readonly headers: Readonly<Record<string, string>>;
}

const statusLine = /^HTTP\/1\.[01] ([1-9]\d\d)(?: |$)/;
const headerLine = /^([!#$%&'*+\-.^_`|~0-9A-Za-z]+):[ \t]*(.*?)[ \t]*$/s;

/** Reads the head of an HTTP/1.1 response, without the empty line at its end. Throws a MalformedHttpError. */
export function parseResponseHead(text: string): ResponseHead {
  const [first = "", ...lines] = text.split("\r\n");
  const status = statusLine.exec(first)?.[1];
  if (status === undefined)
    throw new MalformedHttpError(`it begins with ${JSON.stringify(first.slice(0, 40))}`);
  const headers: Record<string, string> = Object.create(null);
  for (const line of lines) {
    const [, name, value = ""] = headerLine.exec(line) ?? [];
    if (name === undefined) throw new MalformedHttpError("a line of its head is no header");
    const key = name.toLowerCase();
    headers[key] = headers[key] === undefined ? value : `${headers[key]}, ${value}`;
  }
  return { status: Number(status), headers: { ...headers } };
}

/** The bytes of a response are not HTTP/1.1; the connection is of no further use. */
export class MalformedHttpError extends Error {
  readonly code = "EPROTO";

  constructor(problem: string) {
    super(`the response is not HTTP/1.1: ${problem}`);
  }
}

/** Finds the body among the bytes that follow the head of a response. */
export interface BodyFraming {
  /** Passes on those of `bytes` that are of the body. Throws a MalformedHttpError. */
  read(bytes: Uint8Array, pass: (part: Uint8Array) => void): void;
  /** Whether all of the body has been read. */
  readonly isOver: boolean;
  /** Whether the body goes on until the connection ends. */
  readonly endsWithConnection: boolean;
}

/** How the body of a response is framed, as RFC 9112 section 6.3 defines it. HEAD requests are never sent. */
export function bodyFraming({ status, headers }: ResponseHead): BodyFraming {
  if (status === 204 || status === 304) return new BodyOfLength(0);
  const { "transfer-encoding": encoding, "content-length": length } = headers;
  if (encoding !== undefined) {
    if (encoding.toLowerCase() === "chunked") return new ChunkedBody();
    throw new MalformedHttpError(`it has the unexpected transfer encoding ${JSON.stringify(encoding)}`);
  }
  if (length === undefined) return new BodyOfLength(Number.POSITIVE_INFINITY);
  if (!/^\d{1,15}$/.test(length)) throw new MalformedHttpError(`its length is ${JSON.stringify(length)}`);
  return new BodyOfLength(Number(length));
}

class BodyOfLength implements BodyFraming {
  #left: number;
  readonly endsWithConnection: boolean;

  constructor(length: number) {
    this.#left = length;
    this.endsWithConnection = length === Number.POSITIVE_INFINITY;
  }

  get isOver(): boolean {
    return this.#left === 0;
  }

  read(bytes: Uint8Array, pass: (part: Uint8Array) => void): void {
    const part = bytes.length <= this.#left ? bytes : bytes.subarray(0, this.#left);
    this.#left -= part.length;
    if (part.length > 0) pass(part);
  }
}

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
