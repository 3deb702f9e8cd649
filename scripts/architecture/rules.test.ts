import { describe, expect, it } from "vitest";
import { dependencyViolations, violationsOf } from "./rules.ts";
import { readFacts } from "./source-facts.ts";

const names = new Map([
  ["@keelson/core", "core"],
  ["@keelson/schema", "schema"],
  ["@keelson/client", "client"],
  ["@keelson/controlplane", "controlplane"],
  ["@keelson/testkit", "testkit"],
  ["@keelson/sandbox", "sandbox"],
  ["keelson", "runtime"],
  ["@keelson/webapp", "operators/webapp"],
  ["@keelson/backup", "operators/backup"],
]);

function violations(file: string, source: string): readonly string[] {
  return violationsOf(file, readFacts(file, source), names);
}

describe("the order of packages", () => {
  it.each([
    ["packages/runtime/src/a.ts", `import { get } from "@keelson/client";`],
    ["packages/schema/src/a.ts", `import { z } from "zod";`],
    ["operators/webapp/src/a.ts", `import { manager } from "keelson/webhook";`],
    ["operators/webapp/test/a.test.ts", `import { world } from "@keelson/testkit";`],
    ["packages/client/test/cluster/a.test.ts", `import { startControlPlane } from "@keelson/controlplane";`],
    ["packages/cli/src/a.ts", `import { webapp } from "@keelson/webapp";`],
    ["scripts/a.ts", `import { findBinaries } from "@keelson/controlplane";`],
  ])("lets %s contain %s", (file, source) => {
    expect(violations(file, source)).toEqual([]);
  });

  it.each([
    ["an import", `import { get } from "@keelson/client";`],
    ["an import of types", `import type { Client } from "@keelson/client";`],
    ["an import for its effects", `import "@keelson/client";`],
    ["a re-export", `export { get } from "@keelson/client";`],
    ["a re-export of everything", `export * from "@keelson/client";`],
    ["an import at run time", `const client = await import("@keelson/client");`],
    ["an import at run time by a template", "const client = await import(`@keelson/client`);"],
    ["an import inside a type", `type Client = import("@keelson/client").Client;`],
    ["an import of a subpath", `import { get } from "@keelson/client/deep";`],
  ])("refuses %s against it", (_, source) => {
    expect(violations("packages/sandbox/src/store.ts", `\n${source}`)).toEqual([
      expect.stringMatching(
        /^packages\/sandbox\/src\/store\.ts:2: sandbox may not import @keelson\/client.*; it may import schema, core$/,
      ),
    ]);
  });

  it("refuses an operator that imports another, or testkit outside its tests", () => {
    expect(violations("operators/webapp/src/a.ts", `import "@keelson/backup";`)).toEqual([
      "operators/webapp/src/a.ts:1: operators/webapp may not import @keelson/backup; it may import runtime",
    ]);
    expect(violations("operators/webapp/src/a.ts", `import "@keelson/testkit";`)).toHaveLength(1);
    expect(violations("operators/webapp/test/a.ts", `import "@keelson/client";`)).toEqual([
      "operators/webapp/test/a.ts:1: operators/webapp may not import @keelson/client; its tests may import runtime, testkit",
    ]);
  });

  it("reports for a package at the bottom that it may import nothing of ours", () => {
    expect(violations("packages/core/src/a.ts", `import "@keelson/client";`)).toEqual([
      "packages/core/src/a.ts:1: core may not import @keelson/client; it may import nothing of ours",
    ]);
  });

  it("refuses a path into another package", () => {
    expect(violations("packages/runtime/src/a.ts", `import "../../client/src/watch.ts";`)).toEqual([
      expect.stringContaining("../../client/src/watch.ts leaves runtime; import another package by its name"),
    ]);
  });

  it("refuses a package that is not in the table", () => {
    expect(violations("packages/extra/src/a.ts", `import "@keelson/core";`)).toEqual([
      expect.stringContaining("extra is not in the table"),
    ]);
  });

  it("holds for declared dependencies too", () => {
    const dependencies = ["undici", "@keelson/core", "keelson"];
    expect(dependencyViolations("client", "packages/client/package.json", dependencies, names)).toEqual([
      "packages/client/package.json: client may not import keelson; it may import core",
    ]);
  });
});

describe("the order of folders in runtime", () => {
  it("lets a folder import earlier ones and itself", () => {
    const source = `import "../cache/store.ts"; import "./worker.ts"; import "../errors.ts";`;
    expect(violations("packages/runtime/src/controller/controller.ts", source)).toEqual([]);
  });

  it("refuses a later one and names what is allowed", () => {
    expect(violations("packages/runtime/src/queue/queue.ts", `import "../manager/manager.ts";`)).toEqual([
      "packages/runtime/src/queue/queue.ts:1: queue may not import manager; " +
        "in packages/runtime/src it may import watch, cache",
    ]);
  });
});

describe("law 1", () => {
  const reads = [
    "Date.now()",
    "new Date()",
    "Math.random()",
    "performance.now()",
    "setTimeout(f, 1)",
    "process.env.A",
    "Date()",
    "new globalThis.Date()",
    'process["env"]',
    "Date[`now`]()",
    "globalThis.process?.env",
    "const later = setTimeout",
    "wait({ setImmediate })",
    "globalThis.setInterval(f, 1)",
    "const { setTimeout } = globalThis",
    "const { now } = Date",
    "({ env: settings } = process)",
    "function read({ env } = process) {}",
    "AbortSignal.timeout(1)",
    "crypto.randomUUID()",
    "crypto.getRandomValues(bytes)",
    'import { setTimeout } from "node:timers/promises"; setTimeout(1)',
    'import * as timers from "node:timers"',
    'export { setTimeout } from "node:timers"',
    'const timers = await import("node:timers")',
    'import { env } from "node:process"',
    'import me from "node:process"; me.env',
    'import { randomBytes } from "node:crypto"',
    'import * as secrets from "node:crypto"; secrets.randomUUID()',
    'import { performance as stopwatch } from "node:perf_hooks"; stopwatch.now()',
  ];

  it.each(reads)("refuses %s in a library", (source) => {
    expect(violations("packages/runtime/src/queue/queue.ts", source)).toEqual([
      expect.stringContaining("reads the machine; have a Clock, a Random or a setting passed in"),
    ]);
  });

  it.each([
    "packages/core/src/system-clock.ts",
    "packages/client/src/transport/http.ts",
    "packages/controlplane/src/a.ts",
    "packages/cli/src/a.ts",
    "operators/webapp/src/main.ts",
    "packages/runtime/test/cluster/a.test.ts",
  ])("lets %s read the machine", (file) => {
    expect(reads.flatMap((source) => violations(file, source))).toEqual([]);
  });

  it("lets a library make a date from what it was given", () => {
    expect(violations("packages/core/src/a.ts", "new Date(clock.now()); clock.setTimeout(f, 1)")).toEqual([]);
  });

  it.each([
    ["a timer that it was given", "function wait(setTimeout) { setTimeout(f, 1) }"],
    ["a timer taken from a clock", "const { at: { setTimeout = never } } = clock; setTimeout(f, 1)"],
    ["members of that name", "const a = { setTimeout: 1 }; class B { setTimeout() {} setInterval = 1 }"],
    [
      "types of that name",
      "interface A { setTimeout: B; setInterval(setImmediate: B): (setTimeout: B) => void }",
    ],
    ["the type of a timer", "type Timer = ReturnType<typeof setTimeout>"],
    ["a timer of its own under another name", 'import { setTimeout as wait } from "./clock.ts"; wait(f, 1)'],
    ["a type of node:timers in its exports", 'export type { Timer } from "node:timers"'],
    ["a type of node:timers", 'import type { Timer } from "node:timers"'],
    ["the Date of its own instants", "const { parse } = Date; Date.parse(text)"],
    ["what is neither time nor chance", 'import { createHash } from "node:crypto"; createHash("sha256")'],
    ["the next turn", 'import { nextTick } from "node:process"; nextTick(f)'],
  ])("lets a library use %s", (_, source) => {
    expect(violations("packages/core/src/a.ts", source)).toEqual([]);
  });
});

it("reports which file does not parse", () => {
  expect(() => readFacts("packages/core/src/a.ts", "const = 1")).toThrow("parse packages/core/src/a.ts");
});
