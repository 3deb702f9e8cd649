import { expect, it } from "vitest";
import { StreamAnswer } from "./stream-answer.ts";

const head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";

/** What a reader gets who comes when all of this has been read, each on its own. */
async function readLate(
  texts: readonly string[],
): Promise<{ pieces: string; error: unknown; goesOn: boolean }> {
  const answer = new StreamAnswer();
  const [goesOn = false] = texts.map((text) => answer.read(Buffer.from(text))).slice(-1);
  let pieces = "";
  try {
    for (let piece = await answer.body.next(); piece !== undefined; piece = await answer.body.next())
      pieces += Buffer.from(piece).toString();
    return { pieces, error: undefined, goesOn };
  } catch (error) {
    return { pieces, error, goesOn };
  }
}

it("gives nothing of what follows a chunk that is none, and reads no more of it", async () => {
  const said = [`${head}3\r\nabc\r\nno size\r\n`, "3\r\nxyz\r\n0\r\n\r\n"];
  expect(await readLate(said)).toEqual({
    pieces: "abc",
    error: expect.objectContaining({ code: "EPROTO" }),
    goesOn: false,
  });
});

it("gives nothing of what follows the end", async () => {
  const said = [`${head}3\r\nabc\r\n0\r\nTrailer: x\r\n`, "\r\nmore", "3\r\nxyz\r\n"];
  expect(await readLate(said)).toEqual({ pieces: "abc", error: undefined, goesOn: false });
});

it("is not read on while a megabyte waits for its reader", async () => {
  const answer = new StreamAnswer();
  answer.read(Buffer.from(head));
  const chunk = Buffer.from(`80000\r\n${"x".repeat(0x80000)}\r\n`);
  // Below that it is.
  expect([answer.read(chunk), answer.read(chunk)]).toEqual([true, false]);
  await answer.body.next();
  expect(answer.read(chunk)).toBe(true);
});
