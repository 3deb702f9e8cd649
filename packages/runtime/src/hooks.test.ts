import { RecordingLogger } from "@keelson/testkit";
import { expect, it } from "vitest";
import { Hooks } from "./hooks.ts";
import { steadyLogger } from "./steady-logger.ts";

it("[MG12] logs the first error of each hook, thrown or rejected, and returns the fallback", async () => {
  const log = new RecordingLogger();
  const hooks = new Hooks(log);
  const error = new Error("no");
  const fail = (): never => {
    throw error;
  };
  hooks.notify("first", fail);
  hooks.notify("first", fail);
  hooks.notify("second", async () => fail());
  expect(hooks.call("third", fail, () => 3)).toBe(3);
  expect(
    hooks.call(
      "fourth",
      () => 4,
      () => 0,
    ),
  ).toBe(4);
  await Promise.resolve();
  await Promise.resolve();
  expect(log.lines.map(({ level, fields }) => ({ level, ...fields }))).toEqual([
    { level: "error", hook: "first", error },
    { level: "error", hook: "third", error },
    { level: "error", hook: "second", error },
  ]);
});

it("[MG12] a steady logger passes everything on, and stays itself", () => {
  const log = new RecordingLogger();
  const steady = steadyLogger(log);
  steady.with({ a: 1 }).warn("careful", { b: 2 });
  expect(log.lines).toEqual([{ level: "warn", message: "careful", fields: { a: 1, b: 2 } }]);
  expect(steadyLogger(steady)).toBe(steady);
});
