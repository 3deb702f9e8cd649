import { once } from "node:events";
import { PassThrough } from "node:stream";
import { setImmediate as turn } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { batchedBody } from "./batched-body.ts";

const textOf = (piece: Uint8Array | undefined): string => Buffer.from(piece ?? []).toString();

async function readAll(stream: PassThrough): Promise<readonly string[]> {
  const pieces: string[] = [];
  for await (const piece of batchedBody(stream)) pieces.push(textOf(piece));
  return pieces;
}

describe("the body of a stream", () => {
  it("comes in one piece for each turn of the event loop", async () => {
    const stream = new PassThrough();
    const reading = readAll(stream);
    await turn();
    for (const text of ["a", "b", "c"]) stream.write(text);
    await turn();
    await turn();
    stream.end("d");
    expect(await reading).toEqual(["abc", "d"]);
  });

  it("has what had arrived before anybody read it", async () => {
    const stream = new PassThrough();
    stream.write("early");
    await turn();
    stream.end();
    expect(await readAll(stream)).toEqual(["early"]);
  });

  it("gives what came before the error, and then the error", async () => {
    const stream = new PassThrough();
    const body = batchedBody(stream);
    const first = body.next();
    await turn();
    stream.write("before");
    expect(textOf((await first).value ?? undefined)).toBe("before");
    const second = body.next();
    stream.destroy(new Error("cut"));
    await expect(second).rejects.toThrow("cut");
  });

  it("ends if the stream was over before it was read", async () => {
    const stream = new PassThrough();
    stream.destroy();
    await once(stream, "close");
    expect(await readAll(stream)).toEqual([]);
  });

  it("destroys the stream when its reader leaves", async () => {
    const stream = new PassThrough();
    stream.write("some");
    for await (const _ of batchedBody(stream)) break;
    expect(stream.destroyed).toBe(true);
  });

  it("makes the other side wait while much of it is not read, and loses nothing", async () => {
    const stream = new PassThrough();
    const body = batchedBody(stream);
    const first = body.next();
    await turn();
    const chunk = Buffer.alloc(300_000, "x");
    const chunks = 40;
    let written = 0;
    const writing = (async () => {
      for (; written < chunks; written++) if (!stream.write(chunk)) await once(stream, "drain");
      stream.end();
    })();
    let bytes = (await first).value?.length ?? 0;
    for (let turns = 0; turns < 100; turns++) await turn();
    // Nobody has read since: a megabyte waits here, and what the streams hold by themselves.
    expect(written).toBeLessThan(10);
    for await (const piece of body) bytes += piece.length;
    await writing;
    expect(bytes).toBe(chunks * chunk.length);
  });
});
