import { InvalidError } from "@keelson/client";

/** Whether a JSON patch did not fit what is there. Of an object that is not valid the server says what is wrong with it. */
export function isRefusedPatch(error: unknown): error is InvalidError {
  return error instanceof InvalidError && (error.status.details?.causes ?? []).length === 0;
}
