import { type ClassElement, type Comment, type Node, type Program, parseSync } from "oxc-parser";

/** An exported name and what declares it. */
export interface Declaration {
  readonly name: string;
  /** One text per declaration: a name may be a value and a type, and a function may have overloads. */
  readonly texts: readonly string[];
}

/** Reads declaration files. */
export interface DeclarationFiles {
  /** The text of a file. Throws if it does not exist. */
  read(file: string): string;
  /** The file of a module that another file names; undefined if the module is of a package outside of the repository. */
  resolve(specifier: string, from: string): string | undefined;
}

/** What a module gives under a name: text of its own, or a name of another module. */
type Target = string | Readonly<{ specifier: string; name: string }>;

interface Module {
  readonly exports: ReadonlyMap<string, readonly Target[]>;
  /** The modules of which it exports every name. */
  readonly stars: readonly string[];
}

/** The names that a declaration file exports, sorted, each with its declarations wherever these are. */
export class DeclarationReader {
  readonly #files: DeclarationFiles;
  readonly #modules = new Map<string, Module>();

  constructor(files: DeclarationFiles) {
    this.#files = files;
  }

  /** Throws if the file or one that it refers to does not parse, or lacks a name that is imported from it. */
  exportsOf(file: string): readonly Declaration[] {
    return [...this.#namesOf(file)].sort(byText).map((name) => ({ name, texts: this.#find(file, name) }));
  }

  #namesOf(file: string): ReadonlySet<string> {
    const { exports, stars } = this.#module(file);
    const names = new Set(exports.keys());
    for (const specifier of stars) {
      const target = this.#files.resolve(specifier, file);
      if (target === undefined) names.add(`* from "${specifier}"`);
      else for (const name of this.#namesOf(target)) names.add(name);
    }
    return names;
  }

  #find(file: string, name: string): readonly string[] {
    const { exports, stars } = this.#module(file);
    const targets = exports.get(name);
    if (targets !== undefined) return targets.flatMap((target) => this.#follow(file, name, target));
    if (name.startsWith("* from ")) return [`export ${name};`];
    for (const specifier of stars) {
      const target = this.#files.resolve(specifier, file);
      if (target !== undefined && this.#namesOf(target).has(name)) return this.#find(target, name);
    }
    throw new Error(`${file} does not export ${name}`);
  }

  #follow(file: string, exported: string, target: Target): readonly string[] {
    if (typeof target === "string") return [target];
    const { specifier, name } = target;
    const source = this.#files.resolve(specifier, file);
    if (source === undefined || name === "*") {
      const names = name === exported ? name : `${name} as ${exported}`;
      return [`export ${name === "*" ? names : `{ ${names} }`} from "${specifier}";`];
    }
    const texts = this.#find(source, name);
    return name === exported ? texts : [`// ${exported} is exported as an alias of:\n${texts.join("\n")}`];
  }

  #module(file: string): Module {
    const known = this.#modules.get(file);
    if (known !== undefined) return known;
    const module = readModule(file, this.#files.read(file));
    this.#modules.set(file, module);
    return module;
  }
}

function readModule(file: string, source: string): Module {
  const { program, comments, errors } = parseSync(file, source);
  const [error] = errors;
  if (error !== undefined) throw new Error(`parse ${file}: ${error.message}`);
  const locals = localDeclarations(program, (node) => declarationText(source, node, comments));
  const exports = new Map<string, Target[]>();
  const add = (name: string, targets: readonly Target[]): void => {
    exports.set(name, [...(exports.get(name) ?? []), ...targets]);
  };
  const stars: string[] = [];
  for (const statement of program.body) {
    if (statement.type === "ExportAllDeclaration") {
      if (statement.exported === null) stars.push(statement.source.value);
      else add(nameOf(statement.exported), [{ specifier: statement.source.value, name: "*" }]);
    } else if (statement.type === "ExportNamedDeclaration") {
      // One that is declared in several statements, such as an overloaded function, is in `locals` with all of them.
      for (const name of declaredNames(statement.declaration))
        exports.set(name, [...(locals.get(name) ?? [])]);
      for (const { local, exported } of statement.specifiers) {
        const name = nameOf(local);
        const specifier = statement.source?.value;
        if (specifier !== undefined) add(nameOf(exported), [{ specifier, name }]);
        else add(nameOf(exported), aliased(name, nameOf(exported), locals.get(name), file));
      }
    }
  }
  return { exports, stars };
}

function aliased(
  name: string,
  exported: string,
  targets: readonly Target[] | undefined,
  file: string,
): readonly Target[] {
  if (targets === undefined) throw new Error(`${file} exports ${name}, which it does not declare`);
  if (name === exported) return targets;
  return targets.map((target) =>
    typeof target === "string" ? `// ${exported} is exported as an alias of:\n${target}` : target,
  );
}

/** What a module declares or imports, by the name that it has there. */
function localDeclarations(
  program: Program,
  textOf: (node: Node) => string,
): ReadonlyMap<string, readonly Target[]> {
  const locals = new Map<string, Target[]>();
  const add = (name: string, target: Target): void => {
    locals.set(name, [...(locals.get(name) ?? []), target]);
  };
  for (const statement of program.body) {
    if (statement.type === "ImportDeclaration") {
      const specifier = statement.source.value;
      for (const part of statement.specifiers) {
        if (part.type === "ImportSpecifier") add(part.local.name, { specifier, name: nameOf(part.imported) });
        else
          add(part.local.name, { specifier, name: part.type === "ImportDefaultSpecifier" ? "default" : "*" });
      }
      continue;
    }
    const declaration = statement.type === "ExportNamedDeclaration" ? statement.declaration : statement;
    for (const name of declaredNames(declaration)) if (declaration !== null) add(name, textOf(declaration));
  }
  return locals;
}

function declaredNames(node: Node | null): readonly string[] {
  switch (node?.type) {
    case "VariableDeclaration":
      return node.declarations.flatMap(({ id }) => (id.type === "Identifier" ? [id.name] : []));
    case "ClassDeclaration":
    case "FunctionDeclaration":
    case "TSDeclareFunction":
      return node.id === null ? [] : [node.id.name];
    case "TSInterfaceDeclaration":
    case "TSTypeAliasDeclaration":
    case "TSEnumDeclaration":
      return [node.id.name];
    default:
      return [];
  }
}

function nameOf(node: { type: string; name?: string; value?: string }): string {
  return node.name ?? node.value ?? "";
}

/** The text of a declaration without comments, `declare` and what only the class itself can use. */
function declarationText(source: string, node: Node, comments: readonly Comment[]): string {
  const cuts = comments
    .filter(({ start, end }) => start >= node.start && end <= node.end)
    .map(({ start, end }) => ({ start, end }));
  if (node.type === "ClassDeclaration") cuts.push(...node.body.body.filter(isPrivate));
  let text = "";
  let at = node.start;
  for (const { start, end } of cuts.sort((a, b) => a.start - b.start)) {
    text += source.slice(at, start);
    at = end;
  }
  text += source.slice(at, node.end);
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  return lines.join("\n").replace(/^declare /, "");
}

function isPrivate(member: ClassElement): boolean {
  if (member.type === "StaticBlock" || member.type === "TSIndexSignature") return false;
  return member.accessibility === "private" || member.key.type === "PrivateIdentifier";
}

function byText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
