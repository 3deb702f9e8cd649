import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { DeclarationReader } from "./declarations.ts";

/** The API report of one package: its path from the root of the repository, and its text. */
export interface ApiReport {
  readonly path: string;
  readonly text: string;
}

/** What the report needs of a package's manifest. */
interface Package {
  readonly name: string;
  /** From the root of the repository. */
  readonly folder: string;
  /** Declaration files by subpath: `.`, `./client`, `./kinds/*`. */
  readonly entries: ReadonlyMap<string, string>;
}

/** The API reports of all packages with public modules, from the declarations that the compiler has put in `dist`. */
export function apiReports(root: string): readonly ApiReport[] {
  const packages = globSync(["packages/*/package.json", "operators/*/package.json"], { cwd: root })
    .sort()
    .map((manifest) => readPackage(root, manifest));
  const reader = new DeclarationReader({
    read: (file) => readFileSync(file, "utf8"),
    resolve: (specifier, from) => resolveModule(root, packages, specifier, from),
  });
  return packages
    .filter(({ entries }) => entries.size > 0)
    .map((reported) => ({
      path: `${reported.folder}/api-report.md`,
      text: reportOf(root, reported, reader),
    }));
}

function readPackage(root: string, path: string): Package {
  const manifest: Readonly<{ name: string; private?: boolean; exports?: Record<string, { types: string }> }> =
    JSON.parse(readFileSync(`${root}${path}`, "utf8"));
  const published = manifest.private === true ? [] : Object.entries(manifest.exports ?? {});
  return {
    name: manifest.name,
    folder: dirname(path),
    entries: new Map(published.map(([subpath, { types }]) => [subpath, types])),
  };
}

function resolveModule(
  root: string,
  packages: readonly Package[],
  specifier: string,
  from: string,
): string | undefined {
  if (specifier.startsWith(".")) return resolve(dirname(from), specifier.replace(/\.ts$/, ".d.ts"));
  for (const { name, folder, entries } of packages) {
    if (specifier !== name && !specifier.startsWith(`${name}/`)) continue;
    const subpath = `.${specifier.slice(name.length)}`;
    for (const [pattern, types] of entries) {
      const [before = "", after] = pattern.split("*");
      if (after === undefined ? subpath === pattern : subpath.startsWith(before))
        return resolve(root, folder, types.replace("*", subpath.slice(before.length)));
    }
  }
  return undefined;
}

function reportOf(root: string, { name, folder, entries }: Package, reader: DeclarationReader): string {
  const parts = [`# API of \`${name}\`\n\nWritten by \`npm run api-report\`; do not edit.\n`];
  for (const [subpath, types] of entries) {
    const module = `${name}${subpath.slice(1)}`;
    const files = declarationFiles(`${root}${folder}`, types);
    const exports = files.flatMap((file) => reader.exportsOf(file));
    const names = `${exports.length} names`;
    if (subpath.includes("*")) parts.push(`## \`${module}\`: ${names} in ${files.length} modules\n`);
    else {
      const texts = exports.map((declaration) => declaration.texts.join("\n"));
      parts.push(`## \`${module}\`: ${names}\n\n\`\`\`ts\n${texts.join("\n\n")}\n\`\`\`\n`);
    }
  }
  return parts.join("\n");
}

/** The declarations of a target of the manifest; of a pattern only those that still have a source. */
function declarationFiles(folder: string, types: string): readonly string[] {
  if (!types.includes("*")) return [resolve(folder, types)];
  const files = globSync(types.replace("*", "**/*"), { cwd: folder }).sort();
  const hasSource = (file: string): boolean =>
    existsSync(resolve(folder, file.replace(/^(\.\/)?dist\//, "src/").replace(/\.d\.ts$/, ".ts")));
  return files.filter(hasSource).map((file) => resolve(folder, file));
}
