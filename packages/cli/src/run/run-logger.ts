import { jsonLogger, type Logger, systemClock } from "keelson";
import { prettyLogger } from "keelson/telemetry";
import type { RunConfig } from "../config/run-config.ts";

/** What of a stream is needed to log to it. */
export interface LogStream {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

/** JSON for programs, and lines for people on a terminal, unless the format is set. */
export function runLogger(
  { logLevel: level, logFormat }: Pick<RunConfig, "logLevel" | "logFormat">,
  stream: LogStream,
  env: Readonly<Record<string, string | undefined>>,
): Logger {
  const isTerminal = stream.isTTY === true;
  const write = (line: string): void => void stream.write(`${line}\n`);
  const options = { write, clock: systemClock, level };
  if (logFormat === "json" || (logFormat === "auto" && !isTerminal)) return jsonLogger(options);
  const colors = isTerminal && (env.NO_COLOR ?? "") === "";
  return prettyLogger({ ...options, colors, ...(stream.columns !== undefined && { width: stream.columns }) });
}
