import { KeelsonError } from "@keelson/core";

/** Bytes that are not a protobuf message. */
export class MalformedMessageError extends KeelsonError {
  static override readonly brand: string = "@keelson/sandbox.MalformedMessageError";
  readonly code = "MALFORMED_MESSAGE";
}

export interface WireField {
  readonly number: number;
  /** Of integers and fixed-size numbers. */
  readonly integer: bigint;
  /** Of everything else. */
  readonly bytes: Uint8Array;
}

const none = new Uint8Array();

/** The fields of a protobuf message, in their order. Throws MalformedMessageError. */
export function* wireFields(message: Uint8Array): Generator<WireField> {
  const reader = new WireReader(message);
  while (!reader.isAtEnd) {
    const tag = Number(reader.varint());
    const number = tag >>> 3;
    switch (tag & 7) {
      case 0:
        yield { number, integer: reader.varint(), bytes: none };
        break;
      case 1:
        yield { number, integer: 0n, bytes: reader.take(8) };
        break;
      case 2:
        yield { number, integer: 0n, bytes: reader.take(Number(reader.varint())) };
        break;
      case 5:
        yield { number, integer: 0n, bytes: reader.take(4) };
        break;
      default:
        throw new MalformedMessageError(`proto: illegal wireType ${tag & 7}`);
    }
  }
}

class WireReader {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#bytes.length;
  }

  varint(): bigint {
    let value = 0n;
    for (let shift = 0n; shift < 64n; shift += 7n) {
      const byte = this.#bytes[this.#at];
      if (byte === undefined) throw new MalformedMessageError("unexpected EOF");
      this.#at += 1;
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return BigInt.asIntN(64, value);
    }
    throw new MalformedMessageError("proto: integer overflow");
  }

  take(length: number): Uint8Array {
    const end = this.#at + length;
    if (length < 0 || end > this.#bytes.length) throw new MalformedMessageError("unexpected EOF");
    const taken = this.#bytes.subarray(this.#at, end);
    this.#at = end;
    return taken;
  }
}
