import { expect, it } from "vitest";
import { effectiveUser } from "./impersonation.ts";

const admin = { username: "admin", groups: [] };
const access = { verb: "get", group: "", version: "v1", resource: "pods" };
const allow = () => ({ allowed: true, reason: "" });

it("reads the values of a header from its lines, and splits at commas only without lines", () => {
  const headers = { "impersonate-user": "ann", "impersonate-group": "crew, deck, lower" };
  const headerLines = (name: string): readonly string[] | undefined =>
    name === "impersonate-group" ? ["crew", "deck, lower"] : undefined;
  expect(effectiveUser(allow, admin, { headers, headerLines }, access).groups).toEqual([
    "crew",
    "deck, lower",
    "system:authenticated",
  ]);
  expect(effectiveUser(allow, admin, { headers }, access).groups).toEqual([
    "crew",
    "deck",
    "lower",
    "system:authenticated",
  ]);
});
