import type { ObjectMeta } from "@keelson/core";
import { ApiError } from "../../status/api-error.ts";

/** The revision that an object was read at; 0 if it does not say. Throws ApiError for what is no number. */
export function revisionOf({ resourceVersion = "" }: ObjectMeta): number {
  if (resourceVersion === "") return 0;
  if (!/^\d+$/.test(resourceVersion)) throw notParsed(resourceVersion, "invalid syntax");
  if (BigInt(resourceVersion) > largestUint64) throw notParsed(resourceVersion, "value out of range");
  return Number(resourceVersion);
}

const largestUint64 = 2n ** 64n - 1n;

function notParsed(text: string, why: string): ApiError {
  const message = `strconv.ParseUint: parsing ${JSON.stringify(text)}: ${why}`;
  return new ApiError({ httpCode: 500, message });
}
