import { describe, expect, it } from "vitest";
import { decodePatch, patchType } from "./patch-body.ts";

const deployment = { group: "apps", version: "v1", kind: "Deployment" };

describe("the type of a patch", () => {
  it.each([
    ["application/json-patch+json", "json"],
    ["application/merge-patch+json; charset=utf-8", "merge"],
    ["application/strategic-merge-patch+json", "strategic"],
    ["application/apply-patch+yaml", "apply"],
  ])("is the media type %s", (contentType, type) => {
    expect(patchType(contentType, false)).toBe(type);
  });

  it("is refused by the router of built-in kinds if it is unknown", () => {
    expect(() => patchType("application/json", false)).toThrow(
      expect.objectContaining({
        status: expect.objectContaining({ message: "415: Unsupported Media Type", code: 415 }),
      }),
    );
  });

  it("cannot be strategic for a custom resource", () => {
    expect(() => patchType("application/strategic-merge-patch+json", true)).toThrow(
      expect.objectContaining({
        status: expect.objectContaining({
          message:
            "the body of the request was in an unknown format - accepted media types include: application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml",
          reason: "UnsupportedMediaType",
          code: 415,
        }),
      }),
    );
  });
});

describe("an apply configuration", () => {
  it.each([
    ["{}", "invalid object type: /, Kind="],
    ["apiVersion: apps/v1", "invalid object type: apps/v1, Kind="],
    ["apiVersion: v1\nkind: Pod", "invalid object type: /v1, Kind=Pod"],
  ])("is a bad request for the body %j", (body, message) => {
    expect(() => decodePatch(deployment, "apply", Buffer.from(body), false)).toThrow(message);
  });
});
