import { describe, expect, it } from "vitest";
import type { SharedSecretStatus } from "../api/status.ts";
import { RestartRounds, type RoundFacts } from "./restart-round.ts";

const nowMs = Date.parse("2026-11-18T10:00:00Z");
const now = "2026-11-18T10:00:00.000Z";
const round = { startedAt: "2026-11-18T09:00:00.000Z", version: "v1" };

function next(status: SharedSecretStatus | undefined, facts: Partial<RoundFacts> = {}) {
  return new RestartRounds().next("uid", { status, isFlagged: false, version: "v1", nowMs, ...facts });
}

/** The rounds for values that are seen after a time, without a flag. */
function unflagged() {
  const rounds = new RestartRounds();
  const status = { restartedVersion: "v0" };
  return (version: string, afterMs: number) =>
    rounds.next("uid", { status, isFlagged: false, version, nowMs: nowMs + afterMs });
}

describe("a restart of the read-only consumers", () => {
  it.each<[string, SharedSecretStatus | undefined, Partial<RoundFacts>, object]>([
    ["is not required for the first value that is seen", undefined, {}, { type: "none" }],
    ["is not required for a value they were restarted for", { restartedVersion: "v1" }, {}, { type: "none" }],
    [
      "begins if the flag of the object is set, whatever the value",
      { restartedVersion: "v1" },
      { isFlagged: true },
      { type: "round", round: { startedAt: now, version: "v1" } },
    ],
    [
      "begins if the flag of the status is set",
      { restartedVersion: "v0", podsRestartRequired: true },
      {},
      { type: "round", round: { startedAt: now, version: "v1" } },
    ],
    [
      "goes on while the value stays",
      { restart: round, podsRestartRequired: true },
      {},
      { type: "round", round },
    ],
    [
      "goes on if the flag is set during it: that asks for what is being done",
      { restart: round, podsRestartRequired: true },
      { isFlagged: true },
      { type: "round", round },
    ],
    [
      "begins anew if the value changes during it",
      { restart: round, podsRestartRequired: true },
      { version: "v2" },
      { type: "round", round: { startedAt: now, version: "v2" } },
    ],
    [
      "waits for the flag of a rotator that has written another value",
      { restartedVersion: "v0" },
      {},
      { type: "later", atMs: nowMs + 5_000 },
    ],
  ])("%s", (_, status, facts, expected) => {
    expect(next(status, facts)).toEqual(expected);
  });

  it("begins without the flag if none was set in time, counted from the last change of the value", () => {
    const at = unflagged();
    expect(at("v1", 0)).toMatchObject({ type: "later" });
    expect(at("v2", 4_000)).toEqual({ type: "later", atMs: nowMs + 9_000 });
    expect(at("v2", 8_999)).toMatchObject({ type: "later" });
    expect(at("v2", 9_000)).toMatchObject({ type: "round", round: { version: "v2" } });
  });

  it("is not begun for a value that was taken back in time", () => {
    const at = unflagged();
    expect(at("v1", 0)).toMatchObject({ type: "later" });
    expect(at("v0", 1_000)).toEqual({ type: "none" });
    expect(at("v1", 6_000)).toEqual({ type: "later", atMs: nowMs + 11_000 });
  });
});
