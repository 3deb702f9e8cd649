import { defineOperator, defineResource, z } from "keelson";
import { describe, expect, it } from "vitest";
import { usualProgress } from "./row.ts";
import type { Sample } from "./sample-files.ts";
import { tryLines } from "./try-lines.ts";

const base = { group: "example.com", version: "v1", scope: "Namespaced" } as const;
const counted = z.object({ replicas: z.int32() });
const App = defineResource({ ...base, kind: "App", spec: counted, status: counted, scale: {} });
const Note = defineResource({ ...base, kind: "Note" });
const operator = defineOperator({ name: "apps", resources: [App, Note], setup: () => undefined });

function sampleOf(kind: string, metadata: Sample["object"]["metadata"], spec = {}): Sample {
  return { object: { apiVersion: "example.com/v1", kind, metadata, spec }, file: "samples.yaml" };
}

describe("lines to try", () => {
  it("list the kinds, and scale or describe the first sample of each", () => {
    const app = sampleOf("App", { name: "web" }, { replicas: 3 });
    const note = sampleOf("Note", { name: "hello" });
    expect(tryLines([operator], [app, note, { ...app }])).toEqual([
      "get apps,notes",
      "scale app web --replicas=5",
      "describe note hello",
    ]);
  });

  it("name the namespace if it is not the default one", () => {
    const app = sampleOf("App", { name: "web", namespace: "shop" });
    expect(tryLines([operator], [app])).toEqual(["get apps,notes -A", "scale app web -n shop --replicas=3"]);
  });

  it("are those of the operator, if it has some", () => {
    const samples = { files: [], progress: usualProgress, tries: ["edit note hello"] };
    expect(tryLines([{ ...operator, samples }], [sampleOf("Note", { name: "hello" })])).toEqual([
      "get apps,notes",
      "edit note hello",
    ]);
  });

  it("are none without operators", () => {
    expect(tryLines([], [])).toEqual([]);
  });
});
