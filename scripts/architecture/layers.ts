/** A package or an operator, named by its folder: `runtime` for packages/runtime, `operators/webapp`. */
export type Unit = string;

const everything = "*";
const operators = "operators/*";

/** Who may import whom, in code that is shipped (ARCHITECTURE.md). */
const allowed: Readonly<Record<Unit, readonly Unit[]>> = {
  core: [],
  schema: ["core"],
  client: ["core"],
  runtime: ["client", "schema", "core"],
  hollow: ["runtime"],
  // Never client or runtime: the judge shares no path with the judged.
  sandbox: ["schema", "core"],
  controlplane: ["core"],
  testkit: ["sandbox", "controlplane", "hollow", "runtime", "client", "schema", "core"],
  conformance: ["sandbox", "controlplane", "hollow", "runtime", "client", "schema", "core"],
  [operators]: ["runtime"],
  cli: [everything],
};

/** Folders of a package whose imports go one way: each may import only those before it. */
export const folderOrders: Readonly<Record<string, readonly string[]>> = {
  "packages/runtime/src": [
    "watch",
    "cache",
    "queue",
    "source",
    "object",
    "controller",
    "leader",
    "webhook",
    "telemetry",
    "manager",
  ],
  "packages/sandbox/src": [
    "status",
    "store",
    "schema",
    "patch",
    "apply",
    "resource",
    "auth",
    "admission",
    "cel",
    "builtin",
    "custom",
    "webhooks",
    "outgoing",
    "server",
    "discovery",
    "controllers",
    "faults",
  ],
  // The way of a request: understood, decoded, its options read; then a response is made by a read, a write or a subresource.
  "packages/sandbox/src/server": ["request", "body", "options", "response", "write", "read", "subresources"],
};

/** The unit a file of the repository belongs to; undefined for scripts, benchmarks and documents. */
export function unitOf(file: string): Unit | undefined {
  const [top, name, ...rest] = file.split("/");
  if (name === undefined || rest.length === 0) return undefined;
  if (top === "packages") return name;
  return top === "operators" ? `operators/${name}` : undefined;
}

/** The names under which the units are published, such as `keelson` for `runtime`. */
export type UnitNames = ReadonlyMap<string, Unit>;

/** The unit that a module name, with or without a subpath, stands for; undefined for what is not ours. */
export function unitOfModule(moduleName: string, names: UnitNames): Unit | undefined {
  const parts = moduleName.split("/");
  return names.get(parts.slice(0, moduleName.startsWith("@") ? 2 : 1).join("/"));
}

export function isTestFile(file: string): boolean {
  return file.endsWith(".test.ts") || file.endsWith(".test-d.ts") || file.split("/").includes("test");
}

/** What a unit may import. Tests may also import testkit and, unless an operator's, whatever testkit may. */
export function allowedImports(unit: Unit, forTests: boolean): readonly Unit[] | undefined {
  const isOperator = unit.startsWith("operators/");
  const shipped = allowed[isOperator ? operators : unit];
  if (shipped === undefined || !forTests) return shipped;
  return [...new Set([...shipped, "testkit", ...(isOperator ? [] : (allowed.testkit ?? []))])];
}

export function mayImport(from: Unit, to: Unit, forTests: boolean): boolean {
  if (from === to) return true;
  const list = allowedImports(from, forTests);
  return list !== undefined && (list.includes(everything) || list.includes(to));
}
