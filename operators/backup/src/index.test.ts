import { expect, it } from "vitest";
import { BackUp, backup } from "./index.ts";

it("is an operator of the kind that the seed names", () => {
  expect(backup.resources).toEqual([BackUp]);
  expect(BackUp.crd().spec.names).toMatchObject({ kind: "BackUp", plural: "backups", shortNames: ["bks"] });
});
