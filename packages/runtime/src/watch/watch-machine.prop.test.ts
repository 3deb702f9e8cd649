import type { KubeObject } from "@keelson/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { stored } from "../../test/support/stored.ts";
import { type ObjectEvent, parsedSnapshot } from "./snapshot.ts";
import {
  dueAt,
  idle,
  transition,
  type WatchEffect,
  type WatchInput,
  type WatchRules,
  type WatchState,
} from "./watch-machine.ts";

const kinds = ["expired", "versionTooLarge", "tooManyRequests", "internal"] as const;
const failure = fc
  .constantFrom(...kinds, "unreachable" as const, "timeout" as const, "garbled" as const, "other" as const)
  .map((kind) => ({ kind, error: new Error(kind) }));

const version = fc.integer({ min: 1, max: 50 }).map(String);
const snapshot = fc
  .record({
    apiVersion: fc.constant("v1"),
    kind: fc.constant("Pod"),
    metadata: fc.record({ name: fc.constantFrom("a", "b", "c"), resourceVersion: version }),
  })
  .map((object) => parsedSnapshot<KubeObject>(stored(object)));
const objectEvent: fc.Arbitrary<ObjectEvent> = fc.record({
  type: fc.constantFrom("ADDED" as const, "MODIFIED" as const, "DELETED" as const),
  snapshot,
});
const bookmark = fc.record({
  type: fc.constant("BOOKMARK" as const),
  resourceVersion: version,
  endsInitialEvents: fc.boolean(),
});
const failing: fc.Arbitrary<WatchInput<KubeObject>> = fc.oneof(
  fc.record({ type: fc.constant("streamEnded" as const), failure }),
  fc.constant<WatchInput<KubeObject>>({ type: "streamEnded" }),
  fc.record({ type: fc.constant("listFailed" as const), failure }),
  fc.record({ type: fc.constant("sinkFailed" as const), failure }),
);
const anyInput: fc.Arbitrary<WatchInput<KubeObject>> = fc.oneof(
  failing,
  fc.record({ type: fc.constant("event" as const), event: fc.oneof(objectEvent, bookmark) }),
  fc.record({
    type: fc.constant("page" as const),
    items: fc.array(snapshot, { maxLength: 3 }),
    resourceVersion: version,
    continue: fc.constantFrom("", "more"),
  }),
  fc.constantFrom<WatchInput<KubeObject>>(
    { type: "tick" },
    { type: "start" },
    { type: "unexpectedEvent", description: "a Table" },
  ),
);

const rules = fc.record<WatchRules>({
  operation: fc.constant("watch pods"),
  usesWatchList: fc.boolean(),
  watchTimeoutSeconds: fc.constantFrom(0, 900),
  bookmarkIntervalMs: fc.constant(60_000),
  internalErrorGraceMs: fc.constantFrom(0, 60_000),
});
const moments = fc.record({ input: anyInput, afterMs: fc.constantFrom(0, 1, 900, 5_000, 60_000, 400_000) });

function requestsIn(effects: readonly WatchEffect<KubeObject>[]): number {
  return effects.filter(({ type }) => type === "openStream" || type === "requestPage").length;
}

describe("a watch machine, whatever happens to it", () => {
  it("has at most one open request, and always either that or a due time", () => {
    fc.assert(
      fc.property(rules, fc.array(moments, { maxLength: 60 }), (settings, happenings) => {
        const random = { next: () => 0.5 };
        let nowMs = 0;
        let state: WatchState = transition<KubeObject>(
          idle,
          { type: "start" },
          { nowMs, random, rules: settings },
        ).state;
        let isUnderWay = true;
        for (const { input, afterMs } of happenings) {
          nowMs += afterMs;
          // A stream or list ends before the machine receives the input.
          const ends = input.type === "streamEnded" || input.type === "listFailed" || input.type === "page";
          const applies =
            state.phase === "listing"
              ? input.type !== "streamEnded"
              : ends === (input.type === "streamEnded");
          if (!applies) continue;
          if (ends) isUnderWay = false;
          const step = transition(state, input, { nowMs, random, rules: settings });
          state = step.state;
          for (const effect of step.effects) {
            if (effect.type === "abandon") isUnderWay = false;
            if (requestsIn([effect]) === 1) {
              expect(isUnderWay).toBe(false);
              isUnderWay = true;
            }
          }
          if (state.phase === "waiting") isUnderWay = false;
          expect(isUnderWay || dueAt(state, settings) !== undefined).toBe(true);
        }
      }),
      { numRuns: 500 },
    );
  });

  it("[RF13] sends at most four requests without a wait while every request fails", () => {
    fc.assert(
      fc.property(rules, fc.array(failing, { minLength: 1, maxLength: 40 }), (settings, failures) => {
        const at = { nowMs: 0, random: { next: () => 0 }, rules: settings };
        let { state, effects } = transition<KubeObject>(idle, { type: "start" }, at);
        let requests = requestsIn(effects);
        for (const input of failures) {
          ({ state, effects } = transition(state, input, at));
          requests += requestsIn(effects);
        }
        expect(requests).toBeLessThanOrEqual(4);
      }),
      { numRuns: 500 },
    );
  });

  it("[RF2] passes a complete set to the sink before anything else, and nothing that it is still collecting", () => {
    fc.assert(
      fc.property(rules, fc.array(moments, { maxLength: 60 }), (settings, happenings) => {
        let nowMs = 0;
        let isComplete = false;
        const random = { next: () => 0.5 };
        let { state } = transition<KubeObject>(idle, { type: "start" }, { nowMs, random, rules: settings });
        for (const { input, afterMs } of happenings) {
          nowMs += afterMs;
          const { phase } = state;
          const step = transition(state, input, { nowMs, random, rules: settings });
          state = step.state;
          for (const { type } of step.effects) {
            if (type === "replace") isComplete = true;
            if (type === "apply" || type === "bookmark")
              expect([isComplete, phase]).toEqual([true, "watching"]);
          }
        }
      }),
      { numRuns: 500 },
    );
  });
});
