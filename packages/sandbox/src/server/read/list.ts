import type { ListMeta } from "@keelson/core";
import type { ServedResource } from "../../resource/served-resource.ts";
import { ApiError, badRequest, expired } from "../../status/api-error.ts";
import { revisionTooLarge } from "../../status/request-errors.ts";
import { CompactedError, FutureRevisionError } from "../../store/errors.ts";
import { type StoredObject, type StorePage, storeKey } from "../../store/store.ts";
import type { ListOptions } from "../options/list-options.ts";
import { requestedRevision } from "../request/resource-version.ts";
import { type ReadDependencies, readableRevision } from "../server-dependencies.ts";
import { type ContinueToken, decodeContinue, encodeContinue } from "./continue-token.ts";
import type { Selection } from "./selection.ts";

/** Objects as they are stored, in the order of their keys. */
export interface Page {
  readonly objects: readonly StoredObject[];
  readonly metadata: ListMeta;
}

interface Read {
  readonly revision: number;
  readonly after?: string;
  readonly limit: number;
}

/** A page of a list. Throws ApiError if the requested revision is not available. */
export function listPage(
  dependencies: ReadDependencies,
  resource: ServedResource,
  selection: Selection,
  options: ListOptions,
): Page {
  const token = options.continue === "" ? undefined : decodeContinue(options.continue, selection.namespace);
  const read = readOf(dependencies, options, token);
  const { store } = dependencies;
  try {
    return pageOf(selectedPage(dependencies, resource, selection, read), read, selection);
  } catch (error) {
    if (error instanceof FutureRevisionError) throw revisionTooLarge(read.revision, store.revision);
    if (error instanceof CompactedError) throw tooOld(token, selection.namespace);
    throw error;
  }
}

/** The revision to read, by the rules of resourceVersion, resourceVersionMatch, limit and continue. */
function readOf(
  dependencies: ReadDependencies,
  options: ListOptions,
  token: ContinueToken | undefined,
): Read {
  const { store } = dependencies;
  const { resourceVersion, resourceVersionMatch: match, limit } = options;
  if (token !== undefined) {
    if (resourceVersion !== "" && resourceVersion !== "0") {
      throw badRequest("specifying resource version is not allowed when using continue");
    }
    return { revision: token.revision ?? store.revision, after: token.after, limit };
  }
  if (resourceVersion === "") return { revision: store.revision, limit };
  const requested = requestedRevision(resourceVersion, (why) =>
    badRequest(`invalid resource version: ${why}`),
  );
  // A list of any age comes from the watch cache of the server, which ignores the limit.
  if (requested === 0) return { revision: readableRevision(dependencies, 0), limit: 0 };
  if (requested > store.revision) throw revisionTooLarge(requested, store.revision);
  const isExact = match === "Exact" || (match === "" && limit > 0);
  return { revision: isExact ? requested : readableRevision(dependencies, requested), limit };
}

function selectedPage(
  { store }: ReadDependencies,
  resource: ServedResource,
  selection: Selection,
  { revision, after, limit }: Read,
): StorePage {
  const { namespace, name, isSelective } = selection;
  const isNow = revision === store.revision;
  if (isNow && after === undefined && name !== undefined) {
    if (namespace !== undefined || resource.scope === "Cluster") {
      const found = store.get(resource.collection, storeKey(namespace, name));
      return { objects: found !== undefined && selection.matches(found) ? [found] : [], remaining: 0 };
    }
  }
  return store.page(resource.collection, {
    ...(namespace !== undefined && { namespace }),
    ...(after !== undefined && { after }),
    ...(!isNow && { revision }),
    ...(isSelective && { matches: (object) => selection.matches(object) }),
    ...(limit > 0 && { limit }),
  });
}

function pageOf({ objects, remaining }: StorePage, { revision }: Read, selection: Selection): Page {
  const resourceVersion = String(revision);
  const last = objects.at(-1);
  if (remaining === 0 || last === undefined) return { objects, metadata: { resourceVersion } };
  const { namespace, name } = last.metadata;
  const token = encodeContinue({ revision, after: storeKey(namespace, name) }, selection.namespace);
  const metadata: ListMeta = {
    resourceVersion,
    continue: token,
    // The server does not count the remaining items of a selector.
    ...(!selection.isSelective && { remainingItemCount: remaining }),
  };
  return { objects, metadata };
}

function tooOld(token: ContinueToken | undefined, namespace: string | undefined): ApiError {
  if (token === undefined) return expired("The resourceVersion for the provided list is too old.");
  return new ApiError({
    httpCode: 410,
    reason: "Expired",
    message: continueTooOld,
    continueToken: encodeContinue({ ...token, revision: undefined }, namespace),
  });
}

const continueTooOld =
  "The provided continue parameter is too old to display a consistent list result. You can start a new list without the " +
  "continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing " +
  "with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the " +
  "time the first chunk was returned and now may show up in the list.";
