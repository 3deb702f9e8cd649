import type { KubeObject } from "@keelson/core";
import { instead, nextPage } from "./list-rules.ts";
import type { WatchFailure } from "./watch-failure.ts";
import { first, type WatchStep, wait, watch } from "./watch-moves.ts";
import type { Moment } from "./watch-rules.ts";
import type { Memory, WatchInput, WatchState } from "./watch-state.ts";

type InListing = Extract<WatchState, { readonly phase: "listing" }>;
type Page<T extends KubeObject> = Extract<WatchInput<T>, { readonly type: "page" }>;

/** A step of a machine that lists. */
export function inListing<T extends KubeObject>(
  state: InListing,
  input: WatchInput<T>,
  at: Moment,
): WatchStep<T> {
  switch (input.type) {
    case "page":
      return onPage(state, input, at);
    case "listFailed":
      return onFailure(state, input.failure, at);
    default:
      return { state, effects: [] };
  }
}

function onPage<T extends KubeObject>(state: InListing, page: Page<T>, at: Moment): WatchStep<T> {
  const { memory, listing } = state;
  const collected = { type: "collectPage", items: page.items } as const;
  if (page.continue !== "") {
    const next = nextPage(listing, page);
    return {
      state: { ...state, listing: next },
      effects: [collected, { type: "requestPage", request: next.request }],
    };
  }
  // The version of the list, not of its newest item: between the two, items may have been deleted [RF7].
  const resourceVersion = listing.resourceVersion ?? page.resourceVersion;
  const wasPaged = listing.resourceVersion !== undefined;
  const listed: Memory = {
    ...memory,
    resourceVersion,
    isVersionRefused: false,
    isPagingForced: memory.isPagingForced || (wasPaged && listing.askedVersion === "0"),
  };
  return first([collected, { type: "replace", resourceVersion }], watch(listed, at));
}

function onFailure<T extends KubeObject>(state: InListing, failure: WatchFailure, at: Moment): WatchStep<T> {
  const { memory, listing } = state;
  const next = instead(memory, listing, failure);
  if (next === undefined) return first([{ type: "discard" }], wait(memory, "sync", failure, at));
  // Kept until a list succeeds: were this one to fail, the next would begin where the server has nothing.
  const isVersionRefused = memory.isVersionRefused || next.askedVersion === "";
  return {
    state: { phase: "listing", memory: { ...memory, isVersionRefused }, listing: next },
    effects: [
      { type: "report", error: failure.error },
      { type: "discard" },
      { type: "requestPage", request: next.request },
    ],
  };
}
