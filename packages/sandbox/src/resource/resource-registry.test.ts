import { expect, it } from "vitest";
import { createRegistry } from "./resource-registry.ts";
import type { ServedResource } from "./served-resource.ts";

function resource(version: string): ServedResource {
  return {
    group: "example.com",
    version,
    kind: "Lab",
    listKind: "LabList",
    plural: "labs",
    singular: "lab",
    scope: "Namespaced",
    shortNames: [],
    categories: [],
    verbs: ["get"],
    collection: "labs.example.com",
    storageVersion: "v2",
    schema: {},
    subresources: new Map(),
    strategy: {
      setDefaults: () => {},
      prepareForCreate: () => {},
      prepareForUpdate: () => {},
      validate: () => [],
      validateUpdate: () => [],
      countsGenerations: true,
      allowsCreateOnUpdate: false,
      allowsUnconditionalUpdate: true,
    },
    columns: [],
    selectableFields: [],
    isCustom: true,
    prunesUnknownFields: true,
  };
}

it("finds resources by plural, by kind, and in the storage version", () => {
  const registry = createRegistry();
  const [first, second] = [resource("v1"), resource("v2")];
  registry.replace("labs.example.com", [first, second]);
  expect(registry.find("example.com", "v1", "labs")).toBe(first);
  expect(registry.findKind("example.com", "v2", "Lab")).toBe(second);
  expect(registry.findStored("example.com", "labs")).toBe(second);
  expect(registry.find("example.com", "v1", "lab")).toBeUndefined();
  expect(registry.all()).toEqual([first, second]);
});

it("keeps the first of two owners that serve the same resource", () => {
  const registry = createRegistry();
  const [first, second] = [resource("v1"), resource("v1")];
  registry.replace("a", [first]);
  registry.replace("b", [second]);
  expect(registry.find("example.com", "v1", "labs")).toBe(first);
  registry.replace("a", []);
  expect(registry.find("example.com", "v1", "labs")).toBe(second);
});

it("calls a listener for changes until it is removed", () => {
  const registry = createRegistry();
  let changes = 0;
  const stop = registry.onChange(() => {
    changes += 1;
  });
  registry.replace("unknown", []);
  expect(changes).toBe(0);
  registry.replace("a", [resource("v1")]);
  expect(changes).toBe(1);
  stop();
  registry.replace("a", []);
  expect(changes).toBe(1);
});
