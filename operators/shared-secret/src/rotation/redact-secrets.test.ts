import { expect, it } from "vitest";
import { redactSecrets } from "./redact-secrets.ts";

it("replaces secrets as they are, in URIs and as base64", () => {
  const secret = "p@ss/word$&";
  const text = `plain ${secret}, uri postgresql://a:p%40ss%2Fword%24%26@db/x, base64 ${btoa(secret)}`;
  expect(redactSecrets(text, [secret])).toBe(
    "plain [redacted], uri postgresql://a:[redacted]@db/x, base64 [redacted]",
  );
});

it("replaces the longer of two secrets first", () => {
  expect(redactSecrets("use postgresql://a:abc@db", ["abc", "postgresql://a:abc@db"])).toBe("use [redacted]");
});

it("leaves texts alone that contain no secret, and texts that are too short to be one", () => {
  expect(redactSecrets("connect to db", ["", "a", "to", "other"])).toBe("connect to db");
});

it("takes text that is not well formed", () => {
  expect(redactSecrets("x \ud800secret", ["\ud800secret"])).toBe("x [redacted]");
});
