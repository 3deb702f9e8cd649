import { expect, it } from "vitest";
import { makeRow } from "../../test/support/rows.ts";
import type { Row } from "./row.ts";
import { viewOf } from "./view-of.ts";

it("tells how long samples took to settle since they last were not", () => {
  let nowMs = 0;
  let sample: Row = makeRow("webapp/web", { isSettled: false });
  const stranger = makeRow("webapp/other", { isSettled: false });
  const board = { look: () => ({ all: [sample, stranger], samples: [sample] }) };
  const look = viewOf(board, () => nowMs);
  expect(look()).toEqual({ rows: [sample, stranger], summary: "0 of 1 samples settled" });
  nowMs = 2_000;
  sample = makeRow("webapp/web");
  expect(look().summary).toBe("the sample is settled after 2.0 s");
  nowMs = 60_000;
  expect(look().summary).toBe("the sample is settled after 2.0 s");
  sample = makeRow("webapp/web", { isSettled: false });
  expect(look().summary).toBe("0 of 1 samples settled");
  nowMs = 61_500;
  sample = makeRow("webapp/web");
  expect(look().summary).toBe("the sample is settled after 1.5 s");
});
