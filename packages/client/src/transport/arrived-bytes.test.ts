import { setImmediate } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { ArrivedBytes, ArrivedChunks } from "./arrived-bytes.ts";

const arrivedText = (piece: Uint8Array | undefined): string | undefined =>
  piece === undefined ? undefined : Buffer.from(piece).toString();

describe.each([
  { what: "bytes that arrive", Arrived: ArrivedBytes },
  { what: "chunks that arrive", Arrived: ArrivedChunks },
])("$what", ({ Arrived }) => {
  it("come in one piece for each turn of the event loop", async () => {
    const arrived = new Arrived();
    const first = arrived.next();
    for (const text of ["a", "b", "c"]) arrived.add(Buffer.from(text));
    expect(arrivedText(await first)).toBe("abc");
    const second = arrived.next();
    arrived.add(Buffer.from("d"));
    arrived.end();
    expect(arrivedText(await second)).toBe("d");
    expect(await arrived.next()).toBeUndefined();
  });

  it("are returned before the error, and the error then every time", async () => {
    const arrived = new Arrived();
    arrived.add(Buffer.from("before"));
    arrived.end(new Error("cut"));
    arrived.end();
    expect(arrivedText(await arrived.next())).toBe("before");
    await expect(arrived.next()).rejects.toThrow("cut");
    await expect(arrived.next()).rejects.toThrow("cut");
  });

  it("end for a reader that waits", async () => {
    const arrived = new Arrived();
    const waiting = arrived.next();
    await setImmediate();
    arrived.end();
    expect(await waiting).toBeUndefined();
  });

  it("are too many from a megabyte on, until they are taken", async () => {
    const arrived = new Arrived();
    const block = Buffer.alloc(300_000, "x");
    for (let added = 0; added < 3; added++) arrived.add(block);
    expect(arrived.isFull).toBe(false);
    arrived.add(block);
    expect(arrived.isFull).toBe(true);
    expect((await arrived.next())?.length).toBe(4 * block.length);
    expect(arrived.isFull).toBe(false);
  });
});

it("copies bytes, so that later ones do not change them", async () => {
  const arrived = new ArrivedBytes();
  const bytes = Buffer.from("one");
  arrived.add(bytes);
  bytes.write("two");
  const piece = await arrived.next();
  arrived.add(bytes);
  await arrived.next();
  expect(arrivedText(piece)).toBe("one");
});
