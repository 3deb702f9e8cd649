import { homedir } from "node:os";
import { join } from "node:path";
import type { Platform } from "./platform.ts";

/** Keelson's folder for what is slow to make again: the user's cache folder, where each system keeps it. */
export function cacheFolder(platform: Platform, env: NodeJS.ProcessEnv): string {
  const xdg = env.XDG_CACHE_HOME;
  if (xdg?.startsWith("/")) return join(xdg, "keelson");
  const home = env.HOME || homedir();
  return platform.os === "darwin"
    ? join(home, "Library", "Caches", "keelson")
    : join(home, ".cache", "keelson");
}
