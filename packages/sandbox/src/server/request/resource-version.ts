import type { ObjectMeta } from "@keelson/core";
import { ApiError } from "../../status/api-error.ts";

/** The revision in the `resourceVersion` parameter of a read: 0 for an empty text and for `0`. Throws what `refuse` makes of the problem if the text is not a number. */
export function requestedRevision(text: string, refuse: (problem: string) => ApiError): number {
  const problem = parseProblem(text);
  if (problem === undefined) return Number(text);
  throw refuse(`resourceVersion: Invalid value: ${JSON.stringify(text)}: ${problem}`);
}

/** The revision in the metadata of an object that is written: 0 if it has none. Throws ApiError if it is not a number. */
export function revisionOf({ resourceVersion = "" }: ObjectMeta): number {
  const problem = parseProblem(resourceVersion);
  if (problem === undefined) return Number(resourceVersion);
  throw new ApiError({ httpCode: 500, message: problem });
}

const largestUint64 = 2n ** 64n - 1n;

/** What Go's parser reports for a text that is not an unsigned number; the empty text counts as 0. */
function parseProblem(text: string): string | undefined {
  if (text === "") return undefined;
  const isNumber = /^\d+$/.test(text);
  if (isNumber && BigInt(text) <= largestUint64) return undefined;
  const why = isNumber ? "value out of range" : "invalid syntax";
  return `strconv.ParseUint: parsing ${JSON.stringify(text)}: ${why}`;
}
