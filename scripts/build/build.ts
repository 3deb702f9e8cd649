// Makes the JavaScript of `dist/` in every package: what is published, and nothing else. The declarations there are
// tsc's. A module for each public entry instead of one for each source halves the time that an import takes.
import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { type BuiltFile, bundlePackage } from "./bundle.ts";
import { publishedPackages } from "./published-package.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** Leaves alone what is as it should be, so that a build of unchanged sources changes no file. */
function writeFiles(dist: string, files: readonly BuiltFile[]): void {
  for (const { path, text } of files) {
    const file = `${dist}/${path}`;
    if (textOf(file) === text) continue;
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
}

function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    // Missing or not readable: the write reports the problem.
    return undefined;
  }
}

/** Removes the leavings of earlier builds: scripts that are no longer made, declarations of sources that were deleted. */
function removeStale(folder: string, files: readonly BuiltFile[]): void {
  const made = new Set(files.map(({ path }) => path));
  const sources = new Set(globSync("**/*.ts", { cwd: `${folder}/src` }));
  const isDeclared = (path: string): boolean => sources.has(path.replace(/\.d\.ts$/, ".ts"));
  for (const path of globSync("**/*.{js,map,ts}", { cwd: `${folder}/dist` }))
    if (!made.has(path) && !(path.endsWith(".d.ts") && isDeclared(path))) rmSync(`${folder}/dist/${path}`);
}

async function build(): Promise<void> {
  const packages = publishedPackages(root);
  // All first, so that a package that cannot be built leaves every `dist` as it was.
  const bundles = await Promise.all(
    packages.map(async (published) => ({ published, bundle: await bundlePackage(published) })),
  );
  for (const { published, bundle } of bundles) {
    writeFiles(`${published.folder}/dist`, bundle.files);
    removeStale(published.folder, bundle.files);
  }
  const scripts = bundles.flatMap(({ bundle }) => bundle.files.filter(({ path }) => path.endsWith(".js")));
  const kilobytes = Math.round(scripts.reduce((sum, { text }) => sum + text.length, 0) / 1_000);
  console.log(`build: ${packages.length} packages, ${scripts.length} scripts, ${kilobytes} kB`);
}

try {
  await build();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
