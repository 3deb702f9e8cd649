const newline = 0x0a;

/**
 * Cuts a stream of bytes into lines, without the line ends and without empty lines: for each chunk, the lines that end
 * in it, together, since a turn of the event loop for each line would cost more than many lines do. A line is handed
 * out whole, as bytes: a character may lie across two chunks, and whoever reads the line may not want to decode all of
 * it. Throws nothing of its own; a last line without an end is dropped, because a stream that breaks breaks anywhere.
 */
export async function* splitLines(chunks: AsyncIterable<Uint8Array>): AsyncIterable<readonly Buffer[]> {
  let pending: Buffer[] = [];
  for await (const chunk of chunks) {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    const lines: Buffer[] = [];
    let start = 0;
    for (let end = bytes.indexOf(newline); end !== -1; end = bytes.indexOf(newline, start)) {
      const piece = bytes.subarray(start, end);
      start = end + 1;
      const line = pending.length === 0 ? piece : Buffer.concat([...pending, piece]);
      pending = [];
      if (line.length > 0) lines.push(line);
    }
    if (start < bytes.length) pending.push(bytes.subarray(start));
    if (lines.length > 0) yield lines;
  }
}
