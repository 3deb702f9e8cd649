import { ApiError } from "../status/api-error.ts";

/** A patch that does not fit the object. The server tells nobody which operation of it, or why. */
export function rejectedPatch(): ApiError {
  return new ApiError({
    httpCode: 422,
    reason: "Invalid",
    message: "the server rejected our request due to an error in our request",
    details: {},
  });
}

export function tooManyOperations(limit: number, count: number): ApiError {
  const why = `The allowed maximum operations in a JSON patch is ${limit}, got ${count}`;
  return new ApiError({
    httpCode: 413,
    reason: "RequestEntityTooLarge",
    message: `Request entity too large: ${why}`,
  });
}

/** What the server answers for mistakes that it did not foresee: the bare text, without a reason. */
export function unforeseen(message: string): ApiError {
  return new ApiError({ httpCode: 500, message });
}

/**
 * For a content type that patches of the kind cannot have. Strategic merge patches are for built-in kinds only: fields of
 * custom resources say nothing of how to merge them.
 */
export function unsupportedPatchType(isCustom: boolean): ApiError {
  const reason = "UnsupportedMediaType";
  if (!isCustom) {
    return new ApiError({ httpCode: 415, reason, message: "415: Unsupported Media Type", details: {} });
  }
  const accepted = customPatchTypes.join(", ");
  return new ApiError({
    httpCode: 415,
    reason,
    message: `the body of the request was in an unknown format - accepted media types include: ${accepted}`,
  });
}

const customPatchTypes = [
  "application/json-patch+json",
  "application/merge-patch+json",
  "application/apply-patch+yaml",
];
