import { beforeEach, describe, expect, it } from "vitest";
import { FakeTerminal } from "../../test/support/fake-terminal.ts";
import { Painter } from "./painter.ts";

let terminal: FakeTerminal;
let painter: Painter;

beforeEach(() => {
  terminal = new FakeTerminal(20, 10);
  terminal.write("$ keelson dev\n");
  painter = new Painter(terminal);
});

describe("a painter", () => {
  it("draws each frame in place of the one before, be it longer or shorter", () => {
    painter.paint(["one", "two"]);
    painter.paint(["first", "second", "third"]);
    expect(terminal.lines).toEqual(["$ keelson dev", "first", "second", "third", ""]);
    painter.paint(["1"]);
    expect(terminal.lines).toEqual(["$ keelson dev", "1", ""]);
  });

  it("shows the cursor after each frame, and writes each at once", () => {
    const before = terminal.writes;
    painter.paint(["one", "two"]);
    expect(terminal.writes - before).toBe(1);
    expect(terminal.isCursorShown).toBe(true);
  });

  it("writes nothing if nothing has changed", () => {
    painter.paint(["one"]);
    const before = terminal.writes;
    painter.paint(["one"]);
    expect(terminal.writes).toBe(before);
  });

  it("finds its lines again after the terminal was made narrower and has wrapped them", () => {
    painter.paint(["a line of 17 chars", "short"]);
    terminal.resize(10, 10);
    painter.paint(["narrow", "short"]);
    expect(terminal.lines).toEqual(["$ keelson ", "dev", "narrow", "short", ""]);
  });

  it("does not count colours as width", () => {
    painter.paint([`\u001b[32m${"x".repeat(20)}\u001b[0m`, "below"]);
    painter.paint(["again", "below"]);
    expect(terminal.lines).toEqual(["$ keelson dev", "again", "below", ""]);
  });

  it("leaves what it has drawn on request", () => {
    painter.paint(["last frame"]);
    painter.leave();
    painter.paint(["next"]);
    expect(terminal.lines).toEqual(["$ keelson dev", "last frame", "next", ""]);
  });
});
