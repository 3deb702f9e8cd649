import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { digestOf, secretsIn, valuesText, withoutSecrets } from "./chart-values.ts";

describe("the values of a chart", () => {
  it("are JSON, and YAML reads the same from it", () => {
    const values = { text: "\u007f\u0085\u009f\u2028\u2029\ufeff ü 🙂 \n\t", none: null, list: [1, true] };
    const text = valuesText(values);
    expect(JSON.parse(text)).toEqual(values);
    expect(parse(text)).toEqual(values);
    expect(text).not.toMatch(/[\u007f-\u009f\u2028\u2029\ufeff]/);
  });

  it("L19: have the same digest whatever the order of their keys", () => {
    expect(digestOf({ a: 1, b: { c: [1, 2], d: null } })).toBe(digestOf({ b: { d: null, c: [1, 2] }, a: 1 }));
    expect(digestOf({ a: 1, b: undefined })).toBe(digestOf({ a: 1 }));
  });

  it.each([
    ["a null", { a: null }, {}],
    ["the order of a list", { a: [1, 2] }, { a: [2, 1] }],
    ["the type", { a: 1 }, { a: "1" }],
    ["an empty map", { a: {} }, { a: [] }],
  ])("L19: differ by %s", (_, one, other) => {
    expect(digestOf(one)).not.toBe(digestOf(other));
  });
});

describe("the secrets in values", () => {
  it("are known by their names, and files are secret", () => {
    const key = "-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEAAAAABG5v\n-----END-----\n";
    const secrets = secretsIn({
      kubernetesVersion: "1.33.1",
      auth: { user: "demo-user" },
      databasePassword: "hunter2",
      files: [{ content: key }],
      shortToken: "x",
    });
    expect(secrets).toContain("hunter2");
    expect(secrets).toContain("demo-user");
    expect(secrets).toContain("b3BlbnNzaC1rZXktdjEAAAAABG5v");
    expect(secrets).not.toContain("1.33.1");
    expect(secrets).not.toContain("x");
  });

  it("are taken out of a text, the longer ones first", () => {
    const secrets = secretsIn({ password: "hunter2", token: "hunter2-and-more" });
    expect(withoutSecrets("at '/token': 'hunter2-and-more', 'hunter2'", secrets)).toBe(
      "at '/token': '[redacted]', '[redacted]'",
    );
  });
});
