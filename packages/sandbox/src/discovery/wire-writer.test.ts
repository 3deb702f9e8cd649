import fc from "fast-check";
import { expect, test } from "vitest";
import { wireFields } from "../server/body/protobuf/wire-reader.ts";
import { WireWriter } from "./wire-writer.ts";

test("fields come out in the opposite order of the calls", () => {
  const writer = new WireWriter();
  writer.double(3, 1);
  writer.message(2, () => writer.text(1, "é"));
  writer.integer(1, 300);
  const expected = [0x08, 0xac, 0x02, 0x12, 0x04, 0x0a, 0x02, 0xc3, 0xa9, 0x19, 0, 0, 0, 0, 0, 0, 0xf0, 0x3f];
  expect([...writer.finish()]).toEqual(expected);
});

test("a written message is read unchanged", () => {
  fc.assert(
    fc.property(fc.array(fc.string({ maxLength: 5_000 })), fc.maxSafeNat(), (texts, integer) => {
      const writer = new WireWriter();
      writer.message(7, () => {
        for (const text of texts.toReversed()) writer.text(16, text.toWellFormed());
        writer.integer(2, integer);
      });
      const [outer, ...others] = wireFields(writer.finish());
      expect.assert(outer !== undefined && outer.number === 7 && others.length === 0);
      const [first, ...rest] = wireFields(outer.bytes);
      expect(first).toMatchObject({ number: 2, integer: BigInt(integer) });
      const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
      expect(rest.map(({ bytes }) => decoder.decode(bytes))).toEqual(
        texts.map((text) => text.toWellFormed()),
      );
    }),
  );
});
