import { parseSync, Visitor } from "oxc-parser";

/** Something a source file does, and where. */
export interface Fact {
  readonly what: string;
  readonly line: number;
}

/** What the rules need to know of a source file. */
export interface SourceFacts {
  /** Every module name that is imported, exported from, loaded at run time or named in a type. */
  readonly imports: readonly Fact[];
  /** Every use of the machine's clock, timers, randomness or environment. */
  readonly machineReads: readonly Fact[];
}

const machineFunctions = new Set(["setTimeout", "setInterval", "setImmediate"]);
const machineMembers = new Set([
  "Date.now",
  "Math.random",
  "performance.now",
  "process.env",
  "process.hrtime",
]);

/** Reads a TypeScript file. Throws if it does not parse. */
export function readFacts(file: string, source: string): SourceFacts {
  const { program, errors } = parseSync(file, source);
  const [error] = errors;
  if (error !== undefined) throw new Error(`parse ${file}: ${error.message}`);
  const imports: Fact[] = [];
  const machineReads: Fact[] = [];
  const lineOf = (offset: number): number => source.slice(0, offset).split("\n").length;
  const addImport = (node: { readonly type: string; readonly start: number } | null): void => {
    if (node?.type !== "Literal" || !("value" in node) || typeof node.value !== "string") return;
    imports.push({ what: node.value, line: lineOf(node.start) });
  };
  const addRead = (what: string, start: number): void => {
    machineReads.push({ what, line: lineOf(start) });
  };
  new Visitor({
    ImportDeclaration: (node) => addImport(node.source),
    ExportAllDeclaration: (node) => addImport(node.source),
    ExportNamedDeclaration: (node) => addImport(node.source),
    ImportExpression: (node) => addImport(node.source),
    TSImportType: (node) => addImport(node.source),
    CallExpression: ({ callee, start }) => {
      if (callee.type === "Identifier" && machineFunctions.has(callee.name)) addRead(callee.name, start);
    },
    NewExpression: ({ callee, arguments: args, start }) => {
      if (callee.type === "Identifier" && callee.name === "Date" && args.length === 0)
        addRead("new Date()", start);
    },
    MemberExpression: ({ object, property, start }) => {
      if (object.type !== "Identifier" || property.type !== "Identifier") return;
      const path = `${object.name}.${property.name}`;
      if (machineMembers.has(path)) addRead(path, start);
    },
  }).visit(program);
  return { imports, machineReads };
}
