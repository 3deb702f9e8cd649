import { describe, expect, it } from "vitest";
import { ProgressLine } from "./progress-line.ts";

function stream(isTTY: boolean, columns?: number) {
  const written: string[] = [];
  return {
    isTTY,
    ...(columns !== undefined && { columns }),
    write: (text: string) => written.push(text),
    written,
  };
}

describe("on a terminal", () => {
  it("writes over its own line, no longer than the terminal is wide, and clears it at the end", () => {
    const terminal = stream(true, 20);
    let now = 0;
    const line = new ProgressLine(terminal, () => now);
    line.report("building");
    now = 65_000;
    line.report("building a large ship");
    line.end();
    expect(terminal.written).toEqual([
      "\r\u001b[Kbuilding (0:00)",
      "\r\u001b[Kbuilding a large sh",
      "\r\u001b[K",
    ]);
  });
});

describe("in a log", () => {
  it("writes a line at once and then one every ten seconds", () => {
    const log = stream(false);
    let now = 0;
    const line = new ProgressLine(log, () => now);
    for (now = 0; now <= 25_000; now += 500) line.report(`step ${now / 500}`);
    line.end();
    expect(log.written).toEqual(["step 0 (0:00)\n", "step 20 (0:10)\n", "step 40 (0:20)\n"]);
  });
});

it("leaves the terminal alone if there was no progress", () => {
  const terminal = stream(true);
  new ProgressLine(terminal).end();
  expect(terminal.written).toEqual([]);
});
