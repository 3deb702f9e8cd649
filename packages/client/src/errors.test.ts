import type { Status } from "@keelson/core";
import { describe, expect, it } from "vitest";
import * as errors from "./errors.ts";

const status = (fields: Partial<Status>): Status => ({
  apiVersion: "v1",
  kind: "Status",
  status: "Failure",
  ...fields,
});

describe("[CL2] a refusal", () => {
  it.each([
    [errors.ConflictError, { code: 409, reason: "Conflict" }],
    [errors.AlreadyExistsError, { code: 409, reason: "AlreadyExists" }],
    [errors.NotFoundError, { code: 404, reason: "NotFound" }],
    [errors.InvalidError, { code: 422, reason: "Invalid" }],
    [errors.ForbiddenError, { code: 403, reason: "Forbidden" }],
    [errors.UnauthorizedError, { code: 401, reason: "Unauthorized" }],
    [errors.TooManyRequestsError, { code: 429, reason: "TooManyRequests" }],
    [errors.ServerTimeoutError, { code: 504, reason: "Timeout" }],
    [errors.ServerTimeoutError, { code: 500, reason: "ServerTimeout" }],
    [errors.GoneError, { code: 410, reason: "Gone" }],
    [errors.GoneError, { code: 410, reason: "Expired" }],
    [errors.TooLargeError, { code: 413, reason: "RequestEntityTooLarge" }],
    [errors.BadRequestError, { code: 400, reason: "BadRequest" }],
  ])("is a %o", (ErrorClass, fields) => {
    const error = errors.apiErrorFrom("get pods a/b", status({ ...fields, message: "no" }));
    expect(error).toBeInstanceOf(ErrorClass);
    expect(error).toBeInstanceOf(errors.ApiError);
    expect(error.status).toMatchObject(fields);
    expect(error.message).toBe(
      `get pods a/b: the API server responded with ${fields.code} ${fields.reason}: no`,
    );
  });

  it("without a reason is classified by its code, as from a proxy", () => {
    expect(errors.apiErrorFrom("get pods", status({ code: 404 }))).toBeInstanceOf(errors.NotFoundError);
    const unknown = errors.apiErrorFrom("get pods", status({ code: 502, message: "bad gateway" }));
    expect(unknown.constructor).toBe(errors.ApiError);
    expect(unknown.message).toBe("get pods: the API server responded with 502: bad gateway");
  });

  it("says how long to wait, if the server did", () => {
    const busy = errors.apiErrorFrom("get pods", status({ code: 429, details: { retryAfterSeconds: 3 } }));
    expect(busy.retryAfterMs).toBe(3000);
    expect(errors.apiErrorFrom("get pods", status({ code: 429 })).retryAfterMs).toBeUndefined();
    const odd: Status = JSON.parse(
      '{"apiVersion":"v1","kind":"Status","details":{"retryAfterSeconds":"soon"}}',
    );
    expect(errors.apiErrorFrom("get pods", odd).retryAfterMs).toBeUndefined();
  });
});
