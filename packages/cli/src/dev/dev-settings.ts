import { durationMs } from "../config/setting-types.ts";
import { type ClusterFlags, clusterSettings, pathFrom } from "../sandbox/cluster-flags.ts";
import type { EmbeddedClusterSettings } from "../sandbox/embedded-cluster.ts";
import { InvalidFlagError } from "../sandbox/errors.ts";

/** The flags, as commander reads them. */
export interface DevFlags extends Omit<ClusterFlags, "host"> {
  readonly samples: boolean;
  readonly exitWhenSettled?: boolean;
  readonly allowIncompatibleCrds?: boolean;
  readonly timeout?: string;
  readonly logFile?: string;
  readonly config?: string;
  readonly help?: boolean;
}

export interface DevSettings {
  readonly cluster: EmbeddedClusterSettings;
  readonly hasSamples: boolean;
  readonly allowIncompatibleCrds: boolean;
  /** How long the samples may take to settle until the command ends in any case; undefined: it does not end by itself. */
  readonly settleMs: number | undefined;
  readonly logFile: string | undefined;
}

const defaultTimeoutMs = 120_000;

/** Throws an InvalidFlagError. */
export function devSettings(flags: DevFlags, folder: string): DevSettings {
  const { samples, exitWhenSettled = false, allowIncompatibleCrds = false, timeout, logFile } = flags;
  if (timeout !== undefined && !exitWhenSettled)
    throw new InvalidFlagError("--timeout", timeout, "beside --exit-when-settled: nothing else waits for it");
  return {
    cluster: clusterSettings({ ...flags, host: "127.0.0.1" }, { controllers: true }, folder),
    hasSamples: samples,
    allowIncompatibleCrds,
    settleMs: exitWhenSettled ? timeoutMs(timeout) : undefined,
    logFile: pathFrom(folder, "--log-file", logFile),
  };
}

function timeoutMs(timeout: string | undefined): number {
  if (timeout === undefined) return defaultTimeoutMs;
  const { data, error } = durationMs().safeParse(timeout);
  if (data !== undefined) return data;
  const expected = error?.issues[0]?.message.replace("must be ", "") ?? "a time";
  throw new InvalidFlagError("--timeout", timeout, expected);
}
