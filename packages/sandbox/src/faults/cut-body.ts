import { abortable, DropConnectionError } from "@keelson/core";

interface CutOptions {
  /** Cuts the body when it aborts. */
  readonly cut: AbortSignal;
  /** Cuts the body after this many lines. Undefined: never. */
  readonly afterLines: number | undefined;
  /** Called once, when the body has ended, whether it was cut or not. */
  readonly close: () => void;
}

const newline = 10;

/** A body that a fault can cut; its reader then gets DropConnectionError. */
export async function* cuttableBody(
  body: AsyncIterable<Uint8Array>,
  { cut, afterLines, close }: CutOptions,
): AsyncGenerator<Uint8Array> {
  const chunks = body[Symbol.asyncIterator]();
  let linesLeft = afterLines ?? Number.POSITIVE_INFINITY;
  try {
    while (linesLeft > 0) {
      const { done, value } = await abortable(chunks.next(), cut);
      if (done === true) return;
      const end = endOfLines(value, linesLeft);
      linesLeft -= end.lines;
      yield value.subarray(0, end.length);
    }
    throw new DropConnectionError("a body was cut");
  } finally {
    close();
    // Not awaited: the source may hang; the request's signal ends it.
    chunks.return?.().catch(() => undefined);
  }
}

/** The length of the first lines of a chunk, at most `limit` of them, and their number. */
function endOfLines(chunk: Uint8Array, limit: number): { readonly length: number; readonly lines: number } {
  if (limit === Number.POSITIVE_INFINITY) return { length: chunk.length, lines: 0 };
  let lines = 0;
  for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, end + 1)) {
    lines++;
    if (lines === limit) return { length: end + 1, lines };
  }
  return { length: chunk.length, lines };
}
