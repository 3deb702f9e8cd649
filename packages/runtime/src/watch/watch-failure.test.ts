import {
  type ApiError,
  apiErrorFrom,
  ConnectionError,
  MalformedResponseError,
  RequestTimeoutError,
} from "@keelson/client";
import type { Status } from "@keelson/core";
import { describe, expect, it } from "vitest";
import { errorEventFailure, watchFailure } from "./watch-failure.ts";

function refusal(status: Partial<Status>): ApiError {
  return apiErrorFrom("watch pods", { apiVersion: "v1", kind: "Status", ...status });
}

describe("a failure of a list or watch", () => {
  it.each([
    ["a connection that failed", new ConnectionError("watch pods", new Error("no")), "unreachable"],
    [
      "a response too late",
      new RequestTimeoutError("watch pods", { timeoutMs: 1, cause: undefined }),
      "timeout",
    ],
    ["half a document", new MalformedResponseError("watch pods", { problem: "half" }), "garbled"],
    ["410 Expired", refusal({ code: 410, reason: "Expired" }), "expired"],
    ["410 Gone", refusal({ code: 410, reason: "Gone" }), "expired"],
    ["429", refusal({ code: 429, reason: "TooManyRequests" }), "tooManyRequests"],
    ["500", refusal({ code: 500, reason: "InternalError" }), "other"],
    ["403", refusal({ code: 403, reason: "Forbidden" }), "other"],
    ["a mistake of ours", new TypeError("no"), "other"],
  ])("knows %s", (_, error, kind) => {
    expect(watchFailure(error)).toMatchObject({ kind, error });
  });

  it("marks a kind or permission that is missing and may yet be installed or granted", () => {
    expect(watchFailure(refusal({ code: 404, reason: "NotFound" })).isMissing).toBe(true);
    expect(watchFailure(refusal({ code: 403, reason: "Forbidden" })).isMissing).toBe(true);
    expect(watchFailure(refusal({ code: 401, reason: "Unauthorized" })).isMissing).toBeUndefined();
  });

  it.each([400, 410, 422, 500])("[RF22] marks a refusal with %i, which a version can have caused", (code) => {
    expect(watchFailure(refusal({ code })).isVersionSuspect).toBe(true);
  });

  it.each([401, 403, 404, 429, 503, 504])(
    "[RF22] does not blame the version for a refusal with %i",
    (code) => {
      expect(watchFailure(refusal({ code })).isVersionSuspect).toBeUndefined();
    },
  );

  it("recognises a version that the server has not reached, which is a kind of timeout", () => {
    const causes = [{ reason: "ResourceVersionTooLarge", message: "Too large resource version" }];
    const error = refusal({ code: 504, reason: "Timeout", details: { causes, retryAfterSeconds: 1 } });
    expect(watchFailure(error)).toEqual({ kind: "versionTooLarge", error, retryAfterMs: 1000 });
    expect(watchFailure(refusal({ code: 504, reason: "Timeout" })).kind).toBe("other");
  });

  it("distinguishes an internal error from other refusals only in a stream", () => {
    const error = refusal({ code: 500, reason: "InternalError" });
    expect(errorEventFailure(error)).toEqual({ kind: "internal", error });
    expect(errorEventFailure(refusal({ code: 410, reason: "Expired" })).kind).toBe("expired");
    expect(errorEventFailure(refusal({ code: 503, reason: "ServiceUnavailable" })).kind).toBe("other");
  });
});
