import { abortable, DropConnectionError } from "@keelson/core";

interface BreakableOptions {
  /** Breaks the body when it aborts. */
  readonly cut: AbortSignal;
  /** Breaks it after so many lines. */
  readonly afterLines: number | undefined;
  /** Called once, when the body has ended in whatever way. */
  readonly close: () => void;
}

const newline = 10;

/** A body that can be broken from outside. Whoever reads it gets DropConnectionError then. */
export async function* breakable(
  body: AsyncIterable<Uint8Array>,
  { cut, afterLines, close }: BreakableOptions,
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
    // Not awaited: the other side may hang, and hears of the end by the request's signal.
    chunks.return?.().catch(() => undefined);
  }
}

/** How much of a chunk belongs to its first lines, and how many of these it has. */
function endOfLines(chunk: Uint8Array, limit: number): { readonly length: number; readonly lines: number } {
  if (limit === Number.POSITIVE_INFINITY) return { length: chunk.length, lines: 0 };
  let lines = 0;
  for (let place = chunk.indexOf(newline); place !== -1; place = chunk.indexOf(newline, place + 1)) {
    lines++;
    if (lines === limit) return { length: place + 1, lines };
  }
  return { length: chunk.length, lines };
}
