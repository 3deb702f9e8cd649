import type { WatchFailure } from "./watch-failure.ts";
import type { Listing, ListRequest, Memory } from "./watch-state.ts";

const pageSize = 500;

/**
 * The first request of a list [RF5, RF6]. The first list of all takes whatever the server has at hand; a later one
 * nothing older than what the sink has seen. The latter is not paged, because only then the watch cache of the server
 * answers it; unless the server has shown that it has none.
 */
export function firstRequest(memory: Memory): Listing {
  return beginList(memory, listVersion(memory));
}

function listVersion({ isVersionRefused, resourceVersion }: Memory): string {
  if (isVersionRefused) return "";
  return resourceVersion === "" ? "0" : resourceVersion;
}

function beginList({ isPagingForced }: Memory, askedVersion: string): Listing {
  const isConcrete = askedVersion !== "" && askedVersion !== "0";
  const request: ListRequest =
    isConcrete && !isPagingForced
      ? { resourceVersion: askedVersion }
      : { resourceVersion: askedVersion, limit: pageSize };
  return { askedVersion, request, resourceVersion: undefined };
}

/** The request for the page after this one. */
export function nextPage(listing: Listing, page: { resourceVersion: string; continue: string }): Listing {
  const resourceVersion = listing.resourceVersion ?? page.resourceVersion;
  return { ...listing, resourceVersion, request: { limit: pageSize, continue: page.continue } };
}

/**
 * What to ask instead, at once, when a list failed [RF5, RF6]; undefined if only waiting can help. A continue token
 * that expired between two pages leads to one list without pages; a version that the server does not have leads to
 * one list of the newest state. Each of them is tried once, so this ends.
 */
export function instead(memory: Memory, listing: Listing, failure: WatchFailure): Listing | undefined {
  const { askedVersion, request } = listing;
  if (failure.kind === "expired" && request.continue !== undefined) {
    return { askedVersion, request: { resourceVersion: askedVersion }, resourceVersion: undefined };
  }
  const isVersionMissing = failure.kind === "expired" || failure.kind === "versionTooLarge";
  return isVersionMissing && askedVersion !== "" ? beginList(memory, "") : undefined;
}
