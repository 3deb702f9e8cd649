import { expect, it } from "vitest";
import type { RunConfig } from "../config/run-config.ts";
import { runLogger } from "./run-logger.ts";

function lineOf(
  logFormat: RunConfig["logFormat"],
  terminal: { readonly isTTY?: boolean; readonly columns?: number },
  env: Record<string, string> = {},
): string {
  let text = "";
  const write = (line: string): void => {
    text += line;
  };
  const log = runLogger({ logFormat, logLevel: "info" }, { ...terminal, write }, env);
  log.debug("whisper");
  log.info("sails", { knots: 7 });
  return text;
}

it("logs JSON for programs and lines for people, unless the format is set", () => {
  const json = /^\{"ts":".*Z","level":"info","msg":"sails","knots":7\}\n$/;
  const pretty = /^\S+Z INFO {2}sails knots=7\n$/;
  expect(lineOf("auto", {})).toMatch(json);
  expect(lineOf("json", { isTTY: true })).toMatch(json);
  expect(lineOf("pretty", {})).toMatch(pretty);
  expect(lineOf("auto", { isTTY: true }, { NO_COLOR: "1" })).toMatch(pretty);
  expect(lineOf("auto", { isTTY: true })).toContain("\u001b[36mINFO");
  expect(lineOf("auto", { isTTY: true, columns: 20 }, { NO_COLOR: "1" })).toMatch(/sails\n {4}knots=7\n$/);
});
