const encoder = new TextEncoder();

/**
 * Writes a protobuf message from its end to its beginning: the content of a message is written before its length, so
 * nothing is copied. Fields have the opposite order of the calls.
 */
export class WireWriter {
  #bytes = new Uint8Array(1 << 12);
  #start = this.#bytes.length;

  /** The bytes of the whole message. */
  finish(): Uint8Array {
    return this.#bytes.slice(this.#start);
  }

  text(field: number, text: string): void {
    const bytes = encoder.encode(text);
    this.#reserve(bytes.length);
    this.#bytes.set(bytes, this.#start);
    this.#varint(bytes.length);
    this.#tag(field, 2);
  }

  /** A non-negative integer. */
  integer(field: number, value: number): void {
    this.#varint(value);
    this.#tag(field, 0);
  }

  double(field: number, value: number): void {
    this.#reserve(8);
    new DataView(this.#bytes.buffer).setFloat64(this.#start, value, true);
    this.#tag(field, 1);
  }

  /** A message with what `write` writes. */
  message(field: number, write: () => void): void {
    const after = this.#length;
    write();
    this.#varint(this.#length - after);
    this.#tag(field, 2);
  }

  get #length(): number {
    return this.#bytes.length - this.#start;
  }

  #tag(field: number, type: number): void {
    this.#varint(field * 8 + type);
  }

  #varint(value: number): void {
    let size = 1;
    for (let rest = value; rest >= 128; rest = Math.floor(rest / 128)) size++;
    this.#reserve(size);
    let rest = value;
    for (let index = 0; index < size; index++) {
      this.#bytes[this.#start + index] = (rest % 128) + (index === size - 1 ? 0 : 128);
      rest = Math.floor(rest / 128);
    }
  }

  #reserve(size: number): void {
    if (size > this.#start) {
      const larger = new Uint8Array((this.#bytes.length + size) * 2);
      larger.set(this.#bytes.subarray(this.#start), larger.length - this.#length);
      this.#start = larger.length - this.#length;
      this.#bytes = larger;
    }
    this.#start -= size;
  }
}
