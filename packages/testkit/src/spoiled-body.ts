import type { Exchange } from "./exchange.ts";
import type { LineFault, StreamFault } from "./fault.ts";

const newline = 0x0a;

/** The body with every fault applied: those of lines in their order, then those of bytes. */
export function spoiledBody(
  body: AsyncIterable<Uint8Array>,
  faults: readonly StreamFault[],
  exchange: Exchange,
): AsyncIterable<Uint8Array> {
  let spoiled = body;
  for (const fault of faults) {
    if (fault.kind !== "splitBytes") spoiled = spoilLine(spoiled, fault, exchange);
  }
  return faults.some(({ kind }) => kind === "splitBytes") ? splitBytes(spoiled) : spoiled;
}

/** Passes lines until the fault's turn comes, then lets it happen at once: the next line may never come. */
async function* spoilLine(
  chunks: AsyncIterable<Uint8Array>,
  fault: LineFault,
  exchange: Exchange,
): AsyncGenerator<Uint8Array, void, undefined> {
  const lines = linesOf(chunks);
  try {
    for (let passed = 0; passed < fault.afterLines; passed++) {
      const step = await lines.next();
      if (step.done === true) return;
      yield step.value;
    }
    yield* strike(fault, lines, exchange);
    yield* lines;
  } finally {
    await lines.return();
  }
}

type Lines = AsyncGenerator<Uint8Array, void, undefined>;

async function* strike(fault: LineFault, lines: Lines, exchange: Exchange): Lines {
  switch (fault.kind) {
    case "cut":
      if (fault.midLine) yield* halfOfNext(lines, false);
      exchange.break(fault.how);
      await exchange.passable();
      break;
    case "inject":
      yield new TextEncoder().encode(`${fault.line}\n`);
      break;
    case "garble":
      yield* halfOfNext(lines, true);
      break;
    case "blackhole":
      exchange.hold();
      await exchange.passable();
      break;
  }
}

async function* halfOfNext(lines: Lines, withLineEnd: boolean): Lines {
  const step = await lines.next();
  if (step.done === true) return;
  yield step.value.slice(0, Math.floor(step.value.length / 2));
  if (withLineEnd) yield Uint8Array.of(newline);
}

/** Whole lines, each with its line end; at last what follows on the last line end, if anything does. */
async function* linesOf(chunks: AsyncIterable<Uint8Array>): Lines {
  let pending: Uint8Array[] = [];
  for await (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, start)) {
      pending.push(chunk.subarray(start, end + 1));
      start = end + 1;
      const line = Buffer.concat(pending);
      pending = [];
      yield line;
    }
    if (start < chunk.length) pending.push(chunk.subarray(start));
  }
  if (pending.length > 0) yield Buffer.concat(pending);
}

async function* splitBytes(chunks: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  for await (const chunk of chunks) {
    for (let at = 0; at < chunk.length; at++) yield chunk.subarray(at, at + 1);
  }
}
