import { type Node, parseSync, Visitor } from "oxc-parser";
import { literalText, visitMachineReads } from "./machine-reads.ts";

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

/** Reads a TypeScript file. Throws if it does not parse. */
export function readFacts(file: string, source: string): SourceFacts {
  const { program, errors } = parseSync(file, source, { preserveParens: false });
  const [error] = errors;
  if (error !== undefined) throw new Error(`parse ${file}: ${error.message}`);
  const imports: Fact[] = [];
  const machineReads: Fact[] = [];
  const lineOf = (offset: number): number => source.slice(0, offset).split("\n").length;
  const addImport = (node: Node | null): void => {
    const what = literalText(node);
    if (node !== null && what !== undefined) imports.push({ what, line: lineOf(node.start) });
  };
  new Visitor({
    ImportDeclaration: (node) => addImport(node.source),
    ExportAllDeclaration: (node) => addImport(node.source),
    ExportNamedDeclaration: (node) => addImport(node.source),
    ImportExpression: (node) => addImport(node.source),
    TSImportType: (node) => addImport(node.source),
  }).visit(program);
  visitMachineReads(program, (what, start) => machineReads.push({ what, line: lineOf(start) }));
  return { imports, machineReads };
}
