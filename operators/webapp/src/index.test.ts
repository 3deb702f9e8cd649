import { expect, it } from "vitest";
import * as webapp from "./index.ts";

it("exports the operator, its kind, and its words", () => {
  expect(Object.keys(webapp).sort()).toEqual([
    "WebApp",
    "conditionTypes",
    "eventReasons",
    "reasons",
    "webapp",
    "webappOperator",
  ]);
});
