import { expect, test } from "vitest";
import { tryCreate, tryUpdate } from "../../../test/support/try-strategy.ts";
import { claimStrategy } from "./claim-strategy.ts";

function grownProblems(phase: string): readonly string[] {
  const requests = { storage: "1Gi" };
  const { object } = tryCreate(claimStrategy, {
    spec: { accessModes: ["ReadWriteOnce"], resources: { requests } },
  });
  const old = { ...object, status: { phase } };
  const { problems } = tryUpdate(claimStrategy, old, (claim) => {
    Object.assign(claim, {
      spec: { ...Object(claim["spec"]), resources: { requests: { storage: "2Gi" } } },
    });
  });
  return problems;
}

test("a bound claim may request more storage", () => {
  expect(grownProblems("Bound")).toEqual([]);
});

test("a claim that is not bound keeps its request, and the message shows the difference", () => {
  const [problem = ""] = grownProblems("Pending");
  expect(problem.split("\n")).toEqual([
    "spec: Forbidden: spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims",
    "@@ -6,7 +6,7 @@",
    '  "Resources": {',
    '   "Limits": null,',
    '   "Requests": {',
    '-   "storage": "1Gi"',
    '+   "storage": "2Gi"',
    "   }",
    "  },",
    '  "VolumeName": "",',
    "",
  ]);
});
