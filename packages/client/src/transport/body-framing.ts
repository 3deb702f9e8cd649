import { ChunkedBody } from "./chunked-body.ts";
import type { ResponseHead } from "./response-head.ts";
import { MalformedHttpError } from "./response-head.ts";

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
