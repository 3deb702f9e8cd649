import { expect, it } from "vitest";
import { BackUp, backup } from "./index.ts";

it("has the kind BackUp, with its plural and short name", () => {
  expect(backup.resources).toEqual([BackUp]);
  expect(BackUp.crd().spec.names).toMatchObject({ kind: "BackUp", plural: "backups", shortNames: ["bks"] });
});
