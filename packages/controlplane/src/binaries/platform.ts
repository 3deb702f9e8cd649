import { homedir } from "node:os";
import { join } from "node:path";
import { BinariesUnavailableError } from "../errors.ts";

/** Operating system and processor, in the words of Go and of the Kubernetes releases. */
export interface Platform {
  readonly os: "linux" | "darwin";
  readonly arch: "amd64" | "arm64";
}

export type PlatformName = `${Platform["os"]}/${Platform["arch"]}`;

export function platformName(platform: Platform): PlatformName {
  return `${platform.os}/${platform.arch}`;
}

/** The platform of this process. Throws where Kubernetes has no control plane, such as on Windows. */
export function hostPlatform(os: string = process.platform, arch: string = process.arch): Platform {
  const goArch = { x64: "amd64", arm64: "arm64" } as const;
  if ((os === "linux" || os === "darwin") && (arch === "x64" || arch === "arm64")) {
    return { os, arch: goArch[arch] };
  }
  const reason = `a control plane runs on Linux and macOS, on x64 and arm64; on Windows use WSL`;
  throw new BinariesUnavailableError([{ source: `${os}/${arch}`, reason }]);
}

/** Keelson's folder for what is slow to make again: the user's cache folder, where each system keeps it. */
export function cacheFolder(platform: Platform, env: NodeJS.ProcessEnv): string {
  const xdg = env.XDG_CACHE_HOME;
  if (xdg?.startsWith("/")) return join(xdg, "keelson");
  const home = env.HOME || homedir();
  return platform.os === "darwin"
    ? join(home, "Library", "Caches", "keelson")
    : join(home, ".cache", "keelson");
}
