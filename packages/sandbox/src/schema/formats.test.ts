import { expect, it } from "vitest";
import { hasFormat } from "./formats.ts";

const pieces = ["1", "a", "-a", "1.", "9 ", " ", "a@", "%41", "0:", "1a", "1 day"];

it.each(["duration", "email", "hostname", "uri", "byte", "datetime", "cidr", "isbn", "k8s-long-name"])(
  "%s is decided in time that grows with the text only",
  (format) => {
    const start = performance.now();
    for (const piece of pieces) hasFormat(`${piece.repeat(50_000)}!`, format);
    expect(performance.now() - start).toBeLessThan(5_000);
  },
);

it.each([
  ["1h30m", true],
  ["1.5h.5s", true],
  ["1.h", true],
  ["2 days", true],
  ["1", false],
  [".s", false],
])("%s is a duration: %s", (text, expected) => {
  expect(hasFormat(text, "duration")).toBe(expected);
});
