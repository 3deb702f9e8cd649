import { expect, it } from "vitest";
import { BurstDetector, StreamedResponse } from "./streamed-response.ts";

const head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";

/** What a reader gets who comes when all of this has been read, each on its own. */
async function readLate(
  texts: readonly string[],
): Promise<{ pieces: string; error: unknown; goesOn: boolean }> {
  const answer = new StreamedResponse();
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
  const answer = new StreamedResponse();
  answer.read(Buffer.from(head));
  const chunk = Buffer.from(`80000\r\n${"x".repeat(0x80000)}\r\n`);
  // Below that it is.
  expect([answer.read(chunk), answer.read(chunk)]).toEqual([true, false]);
  await answer.body.next();
  expect(answer.read(chunk)).toBe(true);
});

it("knows a flood by what comes within 20 ms", () => {
  const gauge = new BurstDetector(1_000);
  gauge.count(1_000_000, 1_019);
  expect(gauge.isBurst).toBe(false);
  gauge.count(1, 1_020);
  expect(gauge.isBurst).toBe(true);
});

it("takes what comes evenly and slowly for no flood, however much it is in the end", () => {
  const gauge = new BurstDetector(0);
  for (let nowMs = 1; nowMs < 1_000; nowMs++) {
    gauge.count(1_700, nowMs);
    expect(gauge.isBurst).toBe(false);
  }
});

it("sees a flood end with the first thing that comes after it", () => {
  const gauge = new BurstDetector(0);
  for (let nowMs = 1; nowMs <= 20; nowMs++) gauge.count(4_000, nowMs);
  expect(gauge.isBurst).toBe(true);
  gauge.count(1_700, 60);
  expect(gauge.isBurst).toBe(false);
});
