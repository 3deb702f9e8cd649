// Fails when a file imports what its layer may not, or reads the machine where law 1 forbids it.
import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { type Unit, unitOf } from "./layers.ts";
import { dependencyViolations, type Violation, violationsOf } from "./rules.ts";
import { readFacts } from "./source-facts.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));

interface Manifest {
  readonly file: string;
  readonly unit: Unit;
  readonly name: string;
  readonly dependencies: readonly string[];
}

function list(pattern: string): readonly string[] {
  const exclude = (name: string): boolean => name === "node_modules" || name === "dist";
  return globSync(pattern, { cwd: root, exclude }).sort();
}

function readManifest(file: string): Manifest {
  const { name, dependencies = {} } = JSON.parse(readFileSync(`${root}${file}`, "utf8"));
  return { file, unit: unitOf(file) ?? file, name, dependencies: Object.keys(dependencies) };
}

function check(): { readonly files: number; readonly violations: readonly Violation[] } {
  const manifests = list("{packages,operators}/*/package.json").map(readManifest);
  const names = new Map(manifests.map(({ name, unit }) => [name, unit]));
  const sources = list("{packages,operators}/*/{src,test,testing}/**/*.{ts,mts,tsx}");
  const violations = [
    ...sources.flatMap((file) =>
      violationsOf(file, readFacts(file, readFileSync(`${root}${file}`, "utf8")), names),
    ),
    ...manifests.flatMap(({ unit, file, dependencies }) =>
      dependencyViolations(unit, file, dependencies, names),
    ),
  ];
  return { files: sources.length, violations };
}

const { files, violations } = check();
for (const violation of violations) console.error(violation);
if (violations.length > 0) process.exitCode = 1;
else console.log(`architecture: ${files} files keep the import order and the laws`);
