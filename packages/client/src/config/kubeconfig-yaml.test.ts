import { describe, expect, it } from "vitest";
import { KubeconfigError } from "./errors.ts";
import { parseKubeconfigYaml } from "./kubeconfig-yaml.ts";

const parse = (text: string): unknown => parseKubeconfigYaml(text, "/home/ann/.kube/config");

describe("a kubeconfig's YAML", () => {
  it.each([
    ["a: yes\nb: Off", { a: true, b: false }],
    ["a: 0777\nb: 1_000", { a: 511, b: 1000 }],
    ["a: 2026-01-31", { a: "2026-01-31" }],
    ["a: 1\na: 2", { a: 2 }],
    ["base: &base {a: 1}\nc:\n  <<: *base\n  b: 2", { base: { a: 1 }, c: { a: 1, b: 2 } }],
    ['{\n\t"a": [\n\t\t1\n\t]\n}', { a: [1] }],
    ["a: 1\n---\nb: [", { a: 1 }],
  ])("is read as kubectl reads %j", (text, value) => {
    expect(parse(text)).toEqual(value);
  });

  it.each(["", "\n# nothing\n", "---\n", "null"])("is nothing in %j", (text) => {
    expect(parse(text)).toBeUndefined();
  });

  it("that is broken gives an error with the place and without the text", () => {
    const text = "users:\n- name: ann\n  user:\n    token: [s3cr3t-t0ken\n";
    expect(() => parse(text)).toThrow(KubeconfigError);
    expect(() => parse(text)).toThrow(
      /^read kubeconfig \/home\/ann\/\.kube\/config: line 5, column 1 is not YAML \(.+\); mend the file/,
    );
    expect(() => parse(text)).not.toThrow(/s3cr3t/);
  });

  it("that refers to what it does not define gives an error without the text", () => {
    expect(() => parse("a: *s3cr3t")).toThrow(/refers to an anchor that it does not define/);
    expect(() => parse("a: *s3cr3t")).not.toThrow(/s3cr3t/);
  });
});
