import * as client from "@keelson/client";
import * as core from "@keelson/core";
import * as schema from "@keelson/schema";
import { describe, expect, it } from "vitest";
import * as keelson from "./index.ts";

const passedOn = [core, schema, client].flatMap((entry) => Object.keys(entry));

describe("the entry point", () => {
  it("brings together what core, schema and client export", () => {
    expect(Object.keys(keelson)).toEqual(expect.arrayContaining(passedOn));
  });

  it("adds exactly what users may rely on", () => {
    const own = Object.keys(keelson).filter((name) => !passedOn.includes(name));
    expect(own.sort()).toMatchInlineSnapshot(`
      [
        "IncompleteSyncError",
        "InvalidQueueNumberError",
        "PriorityLabels",
        "PriorityQueue",
        "Reflector",
        "ReflectorError",
        "ReflectorReusedError",
        "SilentWatchError",
        "VeryShortWatchError",
        "WorkQueue",
        "backoffPresets",
        "classicLimiter",
        "fastSlowLimiter",
        "itemExponentialLimiter",
        "maxOfLimiters",
        "maxWaitLimiter",
        "presetLimiter",
        "tokenBucketLimiter",
      ]
    `);
  });
});
