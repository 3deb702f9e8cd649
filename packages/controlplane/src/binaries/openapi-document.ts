import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { errorCode } from "@keelson/core";
import { pinnedRelease } from "./release.ts";

/**
 * Kubernetes' own OpenAPI v2 document with the descriptions of all fields, if Go has downloaded the sources of the pinned
 * release, as it has where the real control plane was built. Undefined otherwise.
 */
export function readOpenApiDocument(env: NodeJS.ProcessEnv = process.env): string | undefined {
  const folder = env.GOMODCACHE || join(env.GOPATH?.split(":")[0] || join(homedir(), "go"), "pkg", "mod");
  const path = join(folder, `k8s.io/kubernetes@${pinnedRelease.kubernetes}/api/openapi-spec/swagger.json`);
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return undefined;
  }
}
