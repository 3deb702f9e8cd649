import * as client from "@keelson/client";
import * as core from "@keelson/core";
import * as schema from "@keelson/schema";
import { describe, expect, it } from "vitest";
import * as keelson from "./index.ts";

describe("the entry point", () => {
  it("brings together what core, schema and client export", () => {
    const names = [core, schema, client].flatMap((entry) => Object.keys(entry)).sort();
    expect(Object.keys(keelson).sort()).toEqual(names);
  });
});
