import { expect, test } from "vitest";
import { apiCaseGroups, caseGroups } from "../../src/cases/case-groups.ts";
import { knownDifferences } from "../../src/known-differences.ts";
import { compareServers } from "../support/compare-servers.ts";

compareServers(apiCaseGroups);

test("every known difference is that of a case, and has a reason", () => {
  const names = caseGroups.flatMap(({ title, cases }) => cases.map(({ name }) => `${title}: ${name}`));
  expect(knownDifferences.filter((known) => !names.includes(known.case) || known.reason === "")).toEqual([]);
});
