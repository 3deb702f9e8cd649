import type { Stored } from "keelson";
import type { Secret } from "keelson/kinds/core/v1";
import { expect, it } from "vitest";
import { saltAnnotation } from "../api/names.ts";
import { contentOf, contentPatch, InvalidContentError, rotatedAtMs } from "./secret-content.ts";

const annotations = { [saltAnnotation]: "salt", "vault.keelson.dev/rotated-at": "2026-01-01T00:00:00.123Z" };
const secret: Stored<Secret> = {
  apiVersion: "v1",
  kind: "Secret",
  metadata: {
    ...{ namespace: "shop", name: "orders-db-secret", uid: "28a7", resourceVersion: "7" },
    ...{ creationTimestamp: "2026-01-01T00:00:00Z", annotations },
  },
  data: { value: btoa("old"), extra: btoa("x") },
};

it("decodes the content of a Secret, and when it was rotated", () => {
  expect(contentOf(secret)).toEqual({ value: "old", extra: "x" });
  expect(rotatedAtMs(secret)).toBe(Date.UTC(2026, 0, 1) + 123);
});

it("takes a time that cannot be read for none", () => {
  const { metadata } = secret;
  const unreadable = { ...metadata, annotations: { "vault.keelson.dev/rotated-at": "yesterday" } };
  expect(rotatedAtMs({ ...secret, metadata: unreadable })).toBeUndefined();
});

it("replaces all of the content and nothing else, if the Secret has not changed", () => {
  expect(contentPatch(secret, { value: "new", username: "ä" }, Date.UTC(2026, 0, 2)).value).toEqual({
    metadata: {
      resourceVersion: "7",
      annotations: { "vault.keelson.dev/rotated-at": "2026-01-02T00:00:00.000Z" },
    },
    data: { value: btoa("new"), extra: null, username: "w6Q=" },
  });
});

it("refuses content without a value", () => {
  expect(() => contentPatch(secret, { password: "x" }, 0)).toThrow(InvalidContentError);
  expect(() => contentPatch(secret, { value: "" }, 0)).toThrow(InvalidContentError);
});
