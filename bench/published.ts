import { spawnSync } from "node:child_process";
import { readFileSync, statSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../", import.meta.url));

/**
 * Brings the build up to date, and returns the part of it that a program which imports `keelson` gets. Such a program must run
 * without the condition that leads to the sources. Throws if the build fails.
 */
export function buildPublished(): void {
  const { status } = spawnSync("npm", ["run", "--silent", "build"], { cwd: root, stdio: "inherit" });
  if (status !== 0) throw new Error("build what is published: npm run build failed; its output is above");
  const { name, version, exports } = JSON.parse(readFileSync(`${root}packages/runtime/package.json`, "utf8"));
  const file: string = exports["."].default.replace("./", "packages/runtime/");
  const kilobytes = Math.round(statSync(root + file).size / 1_000);
  console.log(
    `measuring ${name} ${version} as published: ${file}, ${kilobytes} kB, Node ${process.versions.node}`,
  );
}
