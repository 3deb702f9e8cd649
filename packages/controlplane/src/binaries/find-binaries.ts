import { access, constants, mkdir } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { errorCode } from "@keelson/core";
import { BinariesUnavailableError, type FailedSource } from "../errors.ts";
import { type Binaries, type BinaryName, binaryNames, binaryPath } from "./binaries.ts";
import { checkBinary } from "./check-binary.ts";
import { download } from "./download.ts";
import { buildWithGo } from "./go-build.ts";
import { type Installation, installAtomically, SourceFailure } from "./install.ts";
import { withInstallLock } from "./install-lock.ts";
import { cacheFolder, hostPlatform, type Platform } from "./platform.ts";
import { pinnedRelease, type Release, releaseFolderName } from "./release.ts";

export interface FindBinariesOptions {
  /** The programs that will be used; default all. Matters only for KUBEBUILDER_ASSETS, which may hold fewer. */
  readonly need?: readonly BinaryName[];
  /** Called with the progress of a download or a build, many times a second. */
  readonly onProgress?: (message: string) => void;
  readonly signal?: AbortSignal;
  /** Default `process.env`; read: KUBEBUILDER_ASSETS, XDG_CACHE_HOME, HOME, PATH and what Go reads. */
  readonly env?: NodeJS.ProcessEnv;
  /** Default the release that this package is made for. */
  readonly release?: Release;
}

interface Source {
  readonly name: Binaries["source"];
  readonly describe: string;
  readonly install: (installation: Installation) => Promise<void>;
}

const sources: readonly Source[] = [
  { name: "download", describe: "download", install: download },
  { name: "build", describe: "build with Go", install: buildWithGo },
];

/**
 * Finds the programs of a control plane, in this order: the folder that KUBEBUILDER_ASSETS names; Keelson's cache; a
 * download of the published ones; a build with Go. The last two fill the cache, one process at a time.
 *
 * Throws InvalidBinaryError if KUBEBUILDER_ASSETS is set and lacks a needed program: a folder that was named on
 * purpose is not passed over in silence. Throws BinariesUnavailableError, with the reason of each source, if none
 * has them.
 */
export async function findBinaries(options: FindBinariesOptions = {}): Promise<Binaries> {
  const { env = process.env, release = pinnedRelease, onProgress = () => undefined, signal } = options;
  const platform = hostPlatform();
  const folder = binariesFolder({ env, release });
  if (env.KUBEBUILDER_ASSETS) {
    for (const name of options.need ?? binaryNames) {
      await checkBinary(binaryPath(folder, name), platform, "KUBEBUILDER_ASSETS names its folder");
    }
    return { folder, source: "KUBEBUILDER_ASSETS" };
  }
  if (await isComplete(folder, platform)) return { folder, source: "cache" };
  const onWait = (): void => onProgress("waiting for another process that is installing the same programs");
  await makeWritable(dirname(folder));
  return withInstallLock(`${folder}.lock`, onWait, signal, async () => {
    if (await isComplete(folder, platform)) return { folder, source: "cache" };
    const source = await installFromFirst(folder, { release, platform, env, onProgress, signal });
    return { folder, source };
  });
}

/** The folder in which `findBinaries` looks first; whether the programs exist is not checked. */
export function binariesFolder(options: Pick<FindBinariesOptions, "env" | "release"> = {}): string {
  const { env = process.env, release = pinnedRelease } = options;
  const platform = hostPlatform();
  if (env.KUBEBUILDER_ASSETS) return resolve(env.KUBEBUILDER_ASSETS);
  return join(cacheFolder(platform, env), releaseFolderName(release, platform));
}

async function makeWritable(folder: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true });
    await access(folder, constants.W_OK);
  } catch (error) {
    const reason = `${folder} cannot be written (${errorCode(error)}); set XDG_CACHE_HOME to a folder that can`;
    throw new BinariesUnavailableError([{ source: "cache", reason }], { cause: error });
  }
}

async function installFromFirst(
  folder: string,
  context: Omit<Installation, "staging" | "guardian">,
): Promise<Binaries["source"]> {
  const failures: FailedSource[] = [
    { source: "KUBEBUILDER_ASSETS", reason: "not set" },
    { source: "cache", reason: `nothing at ${folder}` },
  ];
  for (const source of sources) {
    try {
      await installAtomically(folder, async (staging, guardian) => {
        await source.install({ ...context, staging, guardian });
        for (const name of binaryNames) await checkBinary(binaryPath(staging, name), context.platform);
      });
      return source.name;
    } catch (error) {
      if (!(error instanceof SourceFailure)) throw error;
      failures.push({ source: source.describe, reason: error.message });
    }
  }
  throw new BinariesUnavailableError(failures);
}

async function isComplete(folder: string, platform: Platform): Promise<boolean> {
  const checks = binaryNames.map((name) => checkBinary(binaryPath(folder, name), platform));
  return (await Promise.allSettled(checks)).every(({ status }) => status === "fulfilled");
}
