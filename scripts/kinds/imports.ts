import { homeOf, isHandWritten } from "./type-home.ts";

interface ImportedType {
  readonly file: string;
  readonly type: string;
}

/** The types that a module of kinds imports from other modules. */
export class Imports {
  readonly #module: string;
  readonly #declared: ReadonlySet<string>;
  /** By the name in this module, which no other import has, nor any type declared here. */
  readonly #imported = new Map<string, ImportedType>();

  constructor(module: string, declaredTypes: readonly string[]) {
    this.#module = module;
    this.#declared = new Set(declaredTypes);
  }

  /** What this module calls the type of a schema; imports it unless it is declared here. */
  nameOf(schemaName: string): string {
    const home = homeOf(schemaName);
    if (home.module === this.#module) return home.type;
    return this.take(isHandWritten(home) ? "../../meta.ts" : `../${home.module}.ts`, home.type);
  }

  /** Imports a type and gives its name here: its own, or one that begins with its file's where that is in use. */
  take(file: string, type: string): string {
    const holder = this.#imported.get(type);
    const isFree = holder === undefined ? !this.#declared.has(type) : holder.file === file;
    const name = isFree ? type : prefixFrom(file) + type;
    this.#imported.set(name, { file, type });
    return name;
  }

  /** The import statements. */
  text(): string {
    const names = [...this.#imported.keys()].sort();
    const byFile = Map.groupBy(names, (name) => this.#imported.get(name)?.file ?? "");
    const statement = (file: string): string => {
      const list = (byFile.get(file) ?? []).map((name) => {
        const type = this.#imported.get(name)?.type;
        return type === name ? name : `${type} as ${name}`;
      });
      return `import type { ${list.join(", ")} } from "${file}";\n`;
    };
    return [...byFile.keys()].sort().map(statement).join("");
  }
}

/** `CoreV1` for `../core/v1.ts`. */
function prefixFrom(file: string): string {
  const words = file.replace(/\.ts$/, "").split(/\W+/);
  return words.map((word) => word.slice(0, 1).toUpperCase() + word.slice(1)).join("");
}
