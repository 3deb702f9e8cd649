import { expect, it } from "vitest";
import { describeObject, NotStoredError, storedField } from "./stored-object.ts";

const object = { apiVersion: "v1", kind: "Secret", metadata: { name: "key", namespace: "shop" } };

it("names an object by kind, namespace and name", () => {
  expect(describeObject(object)).toBe("Secret shop/key");
  expect(describeObject({ ...object, metadata: { name: "key" } })).toBe("Secret key");
  expect(describeObject({ ...object, metadata: { generateName: "key-" } })).toBe("Secret key-*");
});

it("names the missing field of an object that is not stored yet", () => {
  expect(storedField("do it", object, "name")).toBe("key");
  expect(() => storedField("do it", object, "uid")).toThrow(NotStoredError);
  expect(() => storedField("do it", object, "uid")).toThrow(
    /^do it: Secret shop\/key has no metadata\.uid; create/,
  );
});
