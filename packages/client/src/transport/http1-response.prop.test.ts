import fc from "fast-check";
import { expect, it } from "vitest";
import { ChunkedBody, MalformedHttpError } from "./http1-response.ts";

interface Read {
  readonly text: string;
  readonly isOver: boolean;
}

function readPieces(pieces: readonly Uint8Array[]): Read {
  const body = new ChunkedBody();
  const parts: Uint8Array[] = [];
  for (const piece of pieces) body.read(piece, (part) => void parts.push(Buffer.from(part)));
  return { text: Buffer.concat(parts).toString("latin1"), isOver: body.isOver };
}

/** Cut at these places. */
function cut(bytes: Buffer, places: readonly number[]): readonly Uint8Array[] {
  const ends = [...places.map((place) => place % (bytes.length + 1)), bytes.length].sort((a, b) => a - b);
  return ends.map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end));
}

const chunk = fc.record({
  data: fc.string({ unit: fc.constantFrom("a", "\n", "\r", "0", ";"), minLength: 1, maxLength: 40 }),
  extension: fc.constantFrom("", ";x", '; name="a"', " "),
  isUpperCase: fc.boolean(),
});

const line = ({
  data,
  extension,
  isUpperCase,
}: {
  data: string;
  extension: string;
  isUpperCase: boolean;
}) => {
  const size = data.length.toString(16);
  return `${isUpperCase ? size.toUpperCase() : size}${extension}\r\n${data}\r\n`;
};

it("is read the same however it is cut on its way", () => {
  fc.assert(
    fc.property(
      fc.array(chunk),
      fc.constantFrom("", "x-trailer: 1\r\n"),
      fc.array(fc.nat()),
      (chunks, trailers, places) => {
        const sent = `${chunks.map(line).join("")}0\r\n${trailers}\r\nbeyond`;
        const read = readPieces(cut(Buffer.from(sent, "latin1"), places));
        expect(read).toEqual({ text: chunks.map(({ data }) => data).join(""), isOver: true });
      },
    ),
  );
});

it("is not over before the last empty line", () => {
  const whole = Buffer.from("3\r\nabc\r\n0\r\n\r\n");
  for (let length = 0; length < whole.length; length++) {
    expect(readPieces([whole.subarray(0, length)]).isOver).toBe(false);
  }
});

it("takes garbage for a malformed answer, or for a part of one", () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 50 })), (pieces) => {
      try {
        readPieces(pieces);
      } catch (error) {
        expect(error).toBeInstanceOf(MalformedHttpError);
      }
    }),
  );
});

it.each(["", "g", "-1", "0x3", "3 3", "ffffffffffffff"])("does not take %o for a size", (size) => {
  expect(() => readPieces([Buffer.from(`${size}\r\n`)])).toThrow(MalformedHttpError);
});

it("does not take data that is longer than its size", () => {
  expect(() => readPieces([Buffer.from("2\r\nabc\r\n")])).toThrow("longer than it says");
});

it("does not collect a line without an end", () => {
  const endless = Buffer.alloc(5_000, "1");
  expect(() => readPieces([endless, endless, endless, endless])).toThrow("too long");
});
