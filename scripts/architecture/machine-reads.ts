import {
  type ExportAllDeclaration,
  type ExportNamedDeclaration,
  type ImportDeclaration,
  type Node,
  type Program,
  Visitor,
} from "oxc-parser";
import { globalReferences } from "./global-references.ts";

type Report = (what: string, start: number) => void;

const timers: ReadonlySet<string> = new Set(["setTimeout", "setInterval", "setImmediate"]);
const timerModule = /^(?:node:)?timers(?:\/promises)?$/;
const machineMembers: ReadonlySet<string> = new Set([
  "Date.now",
  "Math.random",
  "performance.now",
  "process.env",
  "process.hrtime",
  "AbortSignal.timeout",
  "crypto.getRandomValues",
  "crypto.randomBytes",
  "crypto.randomInt",
  "crypto.randomUUID",
]);

/**
 * Reports every use of the machine's clock, timers, randomness or environment. Of what is hidden behind a value that
 * only exists at run time, such as a computed name, it knows nothing.
 */
export function visitMachineReads(program: Program, report: Report): void {
  const aliases = new Map<string, string>();
  const reportPath = (path: string | undefined, start: number): void => {
    if (path !== undefined && (machineMembers.has(path) || timers.has(path))) report(path, start);
  };
  const reportDestructured = (pattern: Node, value: Node | null): void => {
    const object = value === null ? undefined : pathOf(value, aliases);
    if (pattern.type !== "ObjectPattern" || object === undefined) return;
    for (const property of pattern.properties) {
      if (property.type === "Property") reportPath(join(object, nameOf(property)), property.start);
    }
  };
  const reportExport = ({
    source,
    exportKind,
    start,
  }: ExportAllDeclaration | ExportNamedDeclaration): void => {
    if (exportKind !== "type") reportTimerModule(source, start, report);
  };
  for (const { name, start } of globalReferences(program, timers)) report(name, start);
  new Visitor({
    ImportDeclaration: (node) => readImport(node, aliases, reportPath, report),
    ExportNamedDeclaration: reportExport,
    ExportAllDeclaration: reportExport,
    ImportExpression: ({ source, start }) => reportTimerModule(source, start, report),
    VariableDeclarator: ({ id, init }) => reportDestructured(id, init),
    AssignmentExpression: ({ left, right }) => reportDestructured(left, right),
    AssignmentPattern: ({ left, right }) => reportDestructured(left, right),
    CallExpression: ({ callee, start }) => {
      if (pathOf(callee, aliases) === "Date") report("Date()", start);
    },
    NewExpression: ({ callee, arguments: args, start }) => {
      if (pathOf(callee, aliases) === "Date" && args.length === 0) report("new Date()", start);
    },
    MemberExpression: (node) => reportPath(pathOf(node, aliases), node.start),
  }).visit(program);
}

/** The text of a string that is known before the program runs. */
export function literalText(node: Node | null): string | undefined {
  if (node?.type === "Literal" && typeof node.value === "string") return node.value;
  if (node?.type !== "TemplateLiteral" || node.expressions.length > 0) return undefined;
  return node.quasis[0]?.value.cooked ?? undefined;
}

function reportTimerModule(source: Node | null, start: number, report: Report): void {
  const moduleName = literalText(source);
  if (moduleName !== undefined && timerModule.test(moduleName)) report(moduleName, start);
}

/** Reports what an import reads by itself, and notes what its names stand for. */
function readImport(
  { source, specifiers, importKind, start }: ImportDeclaration,
  aliases: Map<string, string>,
  reportPath: (path: string, start: number) => void,
  report: Report,
): void {
  if (importKind === "type") return;
  reportTimerModule(source, start, report);
  const moduleName = /^(?:node:)?(process|crypto|perf_hooks)$/.exec(source.value)?.[1];
  if (moduleName === undefined) return;
  for (const specifier of specifiers) {
    if (specifier.type !== "ImportSpecifier") {
      aliases.set(specifier.local.name, moduleName);
      continue;
    }
    const { imported, local } = specifier;
    const path = join(moduleName, imported.type === "Literal" ? imported.value : imported.name) ?? "";
    aliases.set(local.name, path);
    reportPath(path, specifier.start);
  }
}

/** What an expression such as `globalThis.process["env"]` stands for: `process.env`. */
function pathOf(node: Node, aliases: ReadonlyMap<string, string>): string | undefined {
  if (node.type === "Identifier") return aliases.get(node.name) ?? node.name;
  if (node.type !== "MemberExpression") return undefined;
  const object = pathOf(node.object, aliases);
  return object === undefined
    ? undefined
    : join(object, nameOf({ key: node.property, computed: node.computed }));
}

function nameOf({ key, computed }: { readonly key: Node; readonly computed: boolean }): string | undefined {
  return key.type === "Identifier" && !computed ? key.name : literalText(key);
}

/** Globals and what `node:perf_hooks` exports go by their own name. */
function join(object: string, name: string | undefined): string | undefined {
  if (name === undefined) return undefined;
  return ["globalThis", "global", "perf_hooks"].includes(object) ? name : `${object}.${name}`;
}
