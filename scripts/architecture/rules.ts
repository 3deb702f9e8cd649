import { posix } from "node:path";
import {
  allowedImports,
  folderOrders,
  isTestFile,
  mayImport,
  type Unit,
  type UnitNames,
  unitOf,
  unitOfModule,
} from "./layers.ts";
import type { Fact, SourceFacts } from "./source-facts.ts";

/** What is wrong with a file, as a line for people: where, what, and what to do. */
export type Violation = string;

/** Holds one file of the repository, named from its root, against every rule. */
export function violationsOf(file: string, facts: SourceFacts, names: UnitNames): readonly Violation[] {
  return [
    ...facts.imports.flatMap((fact) => at(file, fact, packageOrderProblem(file, fact.what, names))),
    ...facts.imports.flatMap((fact) => at(file, fact, folderOrderProblem(file, fact.what))),
    ...facts.machineReads.flatMap((fact) => at(file, fact, machineReadProblem(file, fact.what))),
  ];
}

/** Holds the dependencies that a package declares against the order of packages. */
export function dependencyViolations(
  unit: Unit,
  file: string,
  dependencies: readonly string[],
  names: UnitNames,
): readonly Violation[] {
  return dependencies.flatMap((name) => {
    const target = unitOfModule(name, names);
    if (target === undefined || mayImport(unit, target, false)) return [];
    return [`${file}: ${orderMessage(unit, name, false)}`];
  });
}

function packageOrderProblem(file: string, moduleName: string, names: UnitNames): string | undefined {
  const from = unitOf(file);
  if (from === undefined) return undefined;
  const forTests = isTestFile(file);
  if (moduleName.startsWith(".")) {
    const target = posix.join(posix.dirname(file), moduleName);
    if (unitOf(target) === from) return undefined;
    return `${moduleName} leaves ${from}; import another package by its name, so that only what it exports is used`;
  }
  const to = unitOfModule(moduleName, names);
  if (to === undefined || mayImport(from, to, forTests)) return undefined;
  return orderMessage(from, moduleName, forTests);
}

function orderMessage(from: Unit, moduleName: string, forTests: boolean): string {
  const allowed = allowedImports(from, forTests);
  if (allowed === undefined)
    return `${from} is not in the table of scripts/architecture/layers.ts; add it there first`;
  const list = allowed.length === 0 ? "nothing of ours" : allowed.join(", ");
  return `${from} may not import ${moduleName}; ${forTests ? "its tests may" : "it may"} import ${list}`;
}

function folderOrderProblem(file: string, moduleName: string): string | undefined {
  if (!moduleName.startsWith(".") || isTestFile(file)) return undefined;
  const target = posix.join(posix.dirname(file), moduleName);
  for (const [root, order] of Object.entries(folderOrders)) {
    const from = order.indexOf(folderBelow(root, file));
    const to = order.indexOf(folderBelow(root, target));
    if (from === -1 || to === -1 || to <= from) continue;
    const earlier = order.slice(0, from).join(", ") || "no other folder";
    return `${order[from]} may not import ${order[to]}; in ${root} it may import ${earlier}`;
  }
  return undefined;
}

function folderBelow(root: string, file: string): string {
  return file.startsWith(`${root}/`) ? (file.slice(root.length + 1).split("/")[0] ?? "") : "";
}

/** Where law 1 lets time, randomness and the environment come in. */
const machineReaders = [
  /^packages\/core\/src\/system-/,
  /^packages\/client\/src\/transport\//,
  /^packages\/(controlplane|cli)\//,
  /^operators\/[^/]+\/src\/main\.ts$/,
  // Programs that tests run are found as the machine has them.
  /^operators\/[^/]+\/testing\/helm-binaries\.ts$/,
];

function machineReadProblem(file: string, what: string): string | undefined {
  if (unitOf(file) === undefined || isTestFile(file)) return undefined;
  if (machineReaders.some((pattern) => pattern.test(file))) return undefined;
  return `${what} reads the machine; have a Clock, a Random or a setting passed in, so that tests can replay it`;
}

function at(file: string, { line }: Fact, problem: string | undefined): readonly Violation[] {
  return problem === undefined ? [] : [`${file}:${line}: ${problem}`];
}
