import { expect, it } from "vitest";
import * as entry from "./index.ts";
import { BackUp, backup } from "./index.ts";

it("offers these names", () => {
  expect(Object.keys(entry).sort()).toEqual([
    "BackUp",
    "ConditionType",
    "Reason",
    "backup",
    "backupLabel",
    "backupOperator",
    "revisionAnnotation",
    "runAgainAnnotation",
    "typeAnnotation",
  ]);
});

it("is an operator of the kind that the seed names", () => {
  expect(backup.resources).toEqual([BackUp]);
  expect(BackUp.crd().spec.names).toMatchObject({ kind: "BackUp", plural: "backups", shortNames: ["bks"] });
});
