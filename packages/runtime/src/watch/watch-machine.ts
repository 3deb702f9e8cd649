import type { KubeObject } from "@keelson/core";
import { freshBackoff } from "./backoff.ts";
import { inListing } from "./listing-phase.ts";
import { inStreaming, streamingDueAt } from "./streaming-phase.ts";
import { first, sync, type WatchStep, wait, watch } from "./watch-moves.ts";
import type { Moment, WatchRules } from "./watch-rules.ts";
import type { Memory, WatchInput, WatchState } from "./watch-state.ts";
import { inWatching, watchingDueAt } from "./watching-phase.ts";

export const idle: WatchState = { phase: "idle" };

const newMemory: Memory = {
  resourceVersion: "",
  isVersionRefused: false,
  isPagingForced: false,
  backoff: freshBackoff,
  internalErrors: undefined,
};

/**
 * The reflector's whole behaviour: from where it is and what happens to where it is then and what is to be done. It
 * does nothing itself, and an input that makes no sense in a state changes nothing.
 *
 * Whatever a server answers, requests do not follow each other without a wait, except in chains that end by
 * themselves: another page, a list instead of a watch-list, the newest state instead of a version that was refused,
 * and a new watch after one that was of use.
 */
export function transition<T extends KubeObject>(
  state: WatchState,
  input: WatchInput<T>,
  at: Moment,
): WatchStep<T> {
  if (input.type === "stop" && state.phase !== "stopped") {
    return { state: { phase: "stopped" }, effects: [{ type: "abandon" }, { type: "discard" }] };
  }
  if (input.type === "sinkFailed" && "memory" in state) {
    // What it missed is not known, so it is given everything again.
    return first([{ type: "abandon" }, { type: "discard" }], wait(state.memory, "sync", input.failure, at));
  }
  switch (state.phase) {
    case "idle":
      return input.type === "start" ? sync(newMemory, at) : { state, effects: [] };
    case "streaming":
      return inStreaming(state, input, at);
    case "listing":
      return inListing(state, input, at);
    case "watching":
      return inWatching(state, input, at);
    case "waiting":
      if (input.type !== "tick" || at.nowMs < state.untilMs) return { state, effects: [] };
      return state.next === "watch" ? watch(state.memory, at) : sync(state.memory, at);
    case "stopped":
      return { state, effects: [] };
  }
}

/** When the machine wants a `tick`, by the clock of its moments; undefined if it does not wait for time to pass. */
export function dueAt(state: WatchState, rules: WatchRules): number | undefined {
  switch (state.phase) {
    case "streaming":
      return streamingDueAt(state);
    case "watching":
      return watchingDueAt(state, rules);
    case "waiting":
      return state.untilMs;
    default:
      return undefined;
  }
}
