import { describe, expect, it } from "vitest";
import { formatProblem } from "../status/field-problem.ts";
import { metadataProblems, metadataUpdateProblems } from "./metadata-problems.ts";

const rules = { scope: "Namespaced", knowsFinalizers: true } as const;

function problemsOf(metadata: object): readonly string[] {
  const object = {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "x", namespace: "n", ...metadata },
  };
  return metadataProblems(object, rules).map(formatProblem);
}

describe("the metadata of a new object", () => {
  it("is right with a name and a namespace", () => {
    expect(problemsOf({ labels: { "a.b/c": "d" }, finalizers: ["a.b/c", "orphan"] })).toEqual([]);
  });

  it("needs a name", () => {
    expect(problemsOf({ name: "" })).toEqual([
      "metadata.name: Required value: name or generateName is required",
    ]);
  });

  it("accepts a prefix that ends with a dash", () => {
    expect(problemsOf({ generateName: "a-" })).toEqual([]);
  });

  it("has one controller at most", () => {
    const owner = { apiVersion: "v1", kind: "A", name: "b", uid: "c", controller: true };
    expect(problemsOf({ ownerReferences: [{ ...owner, apiVersion: "a/b/c" }] })).toEqual([
      'metadata.ownerReferences.apiVersion: Invalid value: "a/b/c": version must not be empty',
    ]);
    expect(problemsOf({ ownerReferences: [owner, { ...owner, name: "b2" }] })).toEqual([
      'metadata.ownerReferences: Invalid value: [{"apiVersion":"v1","kind":"A","name":"b","uid":"c","controller":true},{"apiVersion":"v1","kind":"A","name":"b2","uid":"c","controller":true}]: Only one reference can have Controller set to true. Found "true" in references for A/b and A/b2',
    ]);
  });

  it("has finalizers with a domain, or known ones", () => {
    expect(problemsOf({ finalizers: ["x"] })).toEqual([
      'metadata.finalizers[0]: Invalid value: "x": name is neither a standard finalizer name nor is it fully qualified',
    ]);
  });

  it("has annotations of 256 KiB at most", () => {
    expect(problemsOf({ annotations: { a: "x".repeat(256 * 1024) } })).toEqual([
      "metadata.annotations: Too long: may not be more than 262144 bytes",
    ]);
  });

  it("has labels whose keys and values are names", () => {
    expect(problemsOf({ labels: { "/x": "y" } })).toEqual([
      'metadata.labels: Invalid value: "/x": prefix part must be non-empty',
    ]);
  });
});

describe("the metadata of a changed object", () => {
  it("cannot change the identity of the object, nor add finalizers while it is being deleted", () => {
    const old = {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "x", namespace: "n", uid: "u", deletionTimestamp: "2026-01-01T00:00:00Z" },
    };
    const metadata = { ...old.metadata, resourceVersion: "1", uid: "v", finalizers: ["d.e/f"] };
    expect(metadataUpdateProblems({ ...old, metadata }, old, rules).map(formatProblem)).toEqual([
      'metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{"d.e/f"}',
      'metadata.uid: Invalid value: "v": field is immutable',
    ]);
  });
});
