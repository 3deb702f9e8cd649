import { describe, expect, it } from "vitest";
import { templateHash } from "./template-hash.ts";

const template = {
  metadata: { labels: { a: "1", b: "2" } },
  spec: { containers: [{ name: "c", image: "i" }] },
};

describe("the hash of a template", () => {
  it("consists of ten letters that make no words", () => {
    expect(templateHash(template, undefined)).toMatch(/^[bcdfghjklmnpqrstvwxz2456789]{10}$/);
  });

  it("does not depend on the order of fields", () => {
    const { spec, metadata } = template;
    expect(templateHash({ spec, metadata }, undefined)).toBe(templateHash(template, undefined));
  });

  it("differs for other templates and after a collision", () => {
    const hash = templateHash(template, undefined);
    expect(templateHash({ ...template, spec: { containers: [] } }, undefined)).not.toBe(hash);
    expect(templateHash(template, 1)).not.toBe(hash);
    expect(templateHash(template, 1)).not.toBe(templateHash(template, 2));
  });
});
