import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname } from "node:path";

/** A package as npm gets it: what may be imported of it, and the programs that it starts. */
export interface PublishedPackage {
  readonly name: string;
  /** Its folder, without a slash at the end. */
  readonly folder: string;
  /** The public modules, as paths in `src` without extension: `index`, `kinds/core/v1`. */
  readonly entries: readonly string[];
  /** The modules that are loaded by their file names, so that no import leads to them. */
  readonly loaded: readonly LoadedModule[];
  /** The packages that are installed with it, and those that may be. */
  readonly dependencies: readonly string[];
}

/** A module of its own: its path in `dist` and its source, as a path in the package, both without extension. */
export interface LoadedModule {
  readonly module: string;
  readonly source: string;
}

const loadedIn: Readonly<Record<string, readonly LoadedModule[]>> = {
  // The program of a thread.
  keelson: [{ module: "leader/renew-worker", source: "src/leader/renew-worker" }],
  // What `keelson dev` starts beside its samples.
  "@keelson/azimuth-capi": [{ module: "sample-neighbours", source: "testing/sample-neighbours" }],
};

type Manifest = Readonly<{
  name: string;
  dependencies?: Readonly<Record<string, string>>;
  peerDependencies?: Readonly<Record<string, string>>;
  bin?: Readonly<Record<string, string>>;
  exports?: Readonly<Record<string, Readonly<Record<string, string>>>>;
}>;

/** Every package for which `tsconfig.build.json` has declarations made. */
export function publishedPackages(root: string): readonly PublishedPackage[] {
  const project: { references: readonly { path: string }[] } = JSON.parse(
    readFileSync(`${root}tsconfig.build.json`, "utf8"),
  );
  return project.references.map(({ path }) => {
    const folder = `${root}${dirname(path)}`;
    return publishedPackage(folder, JSON.parse(readFileSync(`${folder}/package.json`, "utf8")));
  });
}

/** Throws if a target of the manifest is not where the build puts it, or has no source. */
export function publishedPackage(folder: string, manifest: Manifest): PublishedPackage {
  const { name, bin = {}, exports = {} } = manifest;
  const patterns = [
    ...Object.values(bin).map((target) => patternOf(name, target)),
    ...Object.values(exports).map((targets) => patternOfExport(name, targets)),
  ];
  const loaded = loadedIn[name] ?? [];
  const entries = patterns.flatMap((pattern) => {
    const modules = modulesMatching(folder, pattern);
    if (modules.length > 0) return modules;
    throw new Error(`build ${name}: it publishes dist/${pattern}.js, but there is no such source`);
  });
  const ofEntries = entries.map((module) => ({ module, source: `src/${module}` }));
  for (const { module, source } of [...ofEntries, ...loaded]) {
    if (existsSync(`${folder}/${source}.ts`)) continue;
    throw new Error(`build ${name}: it publishes dist/${module}.js, but there is no ${source}.ts`);
  }
  const dependencies = Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies });
  return { name, folder, entries, loaded, dependencies };
}

function patternOfExport(name: string, targets: Readonly<Record<string, string>>): string {
  const pattern = patternOf(name, targets.default);
  const expected = { "@keelson/source": `./src/${pattern}.ts`, types: `./dist/${pattern}.d.ts` };
  for (const [condition, target] of Object.entries(expected)) {
    if (targets[condition] === target) continue;
    throw new Error(
      `build ${name}: package.json exports ${targets[condition]} as ${condition}; write ${target}`,
    );
  }
  return pattern;
}

function patternOf(name: string, target: string | undefined): string {
  const pattern = /^\.\/dist\/(.+)\.js$/.exec(target ?? "")?.[1];
  if (pattern !== undefined) return pattern;
  throw new Error(`build ${name}: package.json publishes ${target}; the build makes ./dist/NAME.js`);
}

/** In a manifest a star stands for any text, slashes included. */
function modulesMatching(folder: string, pattern: string): readonly string[] {
  if (!pattern.includes("*")) return [pattern];
  const exclude = ["**/*.test.ts"];
  return globSync(`${pattern.replace("*", "**/*")}.ts`, { cwd: `${folder}/src`, exclude })
    .map((file) => file.slice(0, -".ts".length))
    .sort();
}
