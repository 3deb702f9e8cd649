import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { splitLines } from "./line-splitter.ts";

async function* chunksOf(...chunks: readonly (string | Uint8Array)[]): AsyncIterable<Uint8Array> {
  for (const chunk of chunks) yield typeof chunk === "string" ? Buffer.from(chunk) : chunk;
}

async function lines(chunks: AsyncIterable<Uint8Array>): Promise<readonly string[]> {
  const found: string[] = [];
  for await (const batch of splitLines(chunks)) found.push(...batch.map((line) => line.toString("utf8")));
  return found;
}

describe("splitting a stream into lines", () => {
  it("finds several lines in one chunk and one line in several chunks", async () => {
    expect(await lines(chunksOf("a\nb\n", "c", "c", "c\n"))).toEqual(["a", "b", "ccc"]);
  });

  it("hands the lines of one chunk out together, and nothing for a chunk in which none ends", async () => {
    const batches: number[] = [];
    for await (const batch of splitLines(chunksOf("a\nb\n", "c", "\n", "\n"))) batches.push(batch.length);
    expect(batches).toEqual([2, 1]);
  });

  it("passes over empty lines", async () => {
    expect(await lines(chunksOf("\n\na\n", "\n", "b\n"))).toEqual(["a", "b"]);
  });

  it("drops what comes after the last line end", async () => {
    expect(await lines(chunksOf('{"a":1}\n{"b"'))).toEqual(['{"a":1}']);
  });

  it("gives up a line that does not end, before it has filled the memory", async () => {
    let given = 0;
    async function* endless(): AsyncIterable<Uint8Array> {
      for (; given < 100; given++) yield Buffer.alloc(1 << 20, "x");
    }
    const reading = async (): Promise<void> => {
      for await (const _ of splitLines(endless(), "watch pods"));
    };
    await expect(reading()).rejects.toThrow("watch pods: a line of more than 64 MB came");
    expect(given).toBe(64);
    const long = "x".repeat((1 << 20) - 1);
    expect(await lines(chunksOf(...Array.from({ length: 70 }, () => `${long}\n`)))).toHaveLength(70);
  });

  it("gives the same lines wherever the stream is cut, in the middle of a character too", async () => {
    const texts = fc.array(
      fc.string({ unit: "binary", minLength: 1 }).filter((text) => !text.includes("\n")),
    );
    const cuts = fc.array(fc.nat(64), { maxLength: 20 });
    await fc.assert(
      fc.asyncProperty(texts, cuts, async (expected, sizes) => {
        const bytes = Buffer.from(expected.map((text) => `${text}\n`).join(""));
        const chunks: Buffer[] = [];
        let start = 0;
        for (const size of sizes) {
          chunks.push(bytes.subarray(start, start + size));
          start += size;
        }
        const decoded = Buffer.from(bytes.toString("utf8")).equals(bytes);
        fc.pre(decoded);
        expect(await lines(chunksOf(...chunks, bytes.subarray(start)))).toEqual(
          expected.map((text) => Buffer.from(text).toString("utf8")),
        );
      }),
    );
  });
});
