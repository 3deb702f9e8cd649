import { MalformedResponseError } from "../errors.ts";

const newline = 0x0a;
/** Many times the size of the largest object of an API server: a longer line does not come from one. */
const longestLineBytes = 1 << 26;

/**
 * Cuts a stream of bytes into lines, without the line ends and without empty lines: for each chunk, the lines that end
 * in it, together, since a turn of the event loop for each line would cost more than many lines do. A line is handed
 * out whole, as bytes: a character may lie across two chunks, and the reader of the line may not want to decode all of
 * it. A last line without an end is dropped, because a stream that breaks breaks anywhere. Throws a
 * MalformedResponseError, which says that it was in the middle of `operation`, at a line of more than 64 MB.
 */
export async function* splitLines(
  chunks: AsyncIterable<Uint8Array>,
  operation = "read lines",
): AsyncIterable<readonly Buffer[]> {
  let pending: Buffer[] = [];
  let pendingBytes = 0;
  for await (const chunk of chunks) {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    const lines: Buffer[] = [];
    let start = 0;
    for (let end = bytes.indexOf(newline); end !== -1; end = bytes.indexOf(newline, start)) {
      const piece = bytes.subarray(start, end);
      start = end + 1;
      const line = pending.length === 0 ? piece : Buffer.concat([...pending, piece]);
      pending = [];
      pendingBytes = 0;
      if (line.length > 0) lines.push(line);
    }
    if (start < bytes.length) pending.push(bytes.subarray(start));
    pendingBytes += bytes.length - start;
    if (pendingBytes > longestLineBytes)
      throw new MalformedResponseError(operation, { problem: "a line of more than 64 MB came" });
    if (lines.length > 0) yield lines;
  }
}
