import { expect, it } from "vitest";
import { pausedUntil } from "./pause.ts";

const lastReload = "2026-06-10T00:00:00.000Z";
const startMs = Date.parse(lastReload);

it.each<[what: string, afterMs: number, periodMs: number | undefined, untilMs: number | undefined]>([
  ["wait until the period is over", 1, 5000, 5000],
  ["wait in its last moment", 4999, 5000, 5000],
  ["do not wait when it is over", 5000, 5000, undefined],
  ["do not wait without a pause period", 1, undefined, undefined],
  ["wait if the clock is behind a little", -5000, 5000, 5000],
  ["do not wait for a time that a wrong clock wrote", -5001, 5000, undefined],
])("changes %s", (_what, afterMs, periodMs, untilMs) => {
  const result = pausedUntil(lastReload, periodMs, startMs + afterMs);
  expect(result === undefined ? undefined : result - startMs).toBe(untilMs);
});

it("the first change does not wait", () => {
  expect(pausedUntil(undefined, 5000, startMs)).toBeUndefined();
});
