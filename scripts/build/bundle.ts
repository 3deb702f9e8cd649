import { isBuiltin } from "node:module";
import { type OutputChunk, type Plugin, rolldown } from "rolldown";
import type { LoadedModule, PublishedPackage } from "./published-package.ts";

/** A file of `dist`: its path there, and its text. */
export interface BuiltFile {
  readonly path: string;
  readonly text: string;
}

export interface Bundle {
  readonly files: readonly BuiltFile[];
  /** The sources whose code is in the files, as paths. */
  readonly modules: readonly string[];
}

/**
 * Makes the files that a package publishes: one for each public module with all that it needs of its own package, and
 * one for what is loaded later. Other packages, ours or not, stay imports. Writes nothing. Throws if a package that it
 * imports is not among its dependencies, and on anything that the bundler warns of.
 */
export async function bundlePackage(published: PublishedPackage): Promise<Bundle> {
  const { folder, entries, loaded } = published;
  // Bundled by itself such a module shares no file with an entry: a thread has its own copy of every module anyway.
  const programs = [
    entries.map((module) => ({ module, source: `src/${module}` })),
    ...loaded.map((each) => [each]),
  ];
  const outputs = await Promise.all(programs.map((modules) => bundleModules(folder, modules)));
  const chunks = outputs.flat();
  checkImports(published, chunks);
  return {
    files: chunks.flatMap(({ fileName, code, map }) => [
      { path: fileName, text: code },
      { path: `${fileName}.map`, text: `${map?.toString()}\n` },
    ]),
    modules: chunks.flatMap(({ moduleIds }) => moduleIds),
  };
}

async function bundleModules(
  folder: string,
  modules: readonly LoadedModule[],
): Promise<readonly OutputChunk[]> {
  await using bundler = await rolldown({
    cwd: folder,
    input: Object.fromEntries(modules.map(({ module, source }) => [module, `${folder}/${source}.ts`])),
    platform: "node",
    external: isOtherPackage,
    plugins: [moduleAddresses(folder), plainHttp],
    preserveEntrySignatures: "strict",
    // The options of tsconfig.base.json; the rest of it concerns types.
    tsconfig: false,
    transform: { target: "es2024", typescript: { onlyRemoveTypeImports: true } },
    onLog: (level, log) => {
      if (level === "warn") throw new Error(`bundle ${folder}: ${log.message}`);
    },
  });
  const { output } = await bundler.generate({
    dir: `${folder}/dist`,
    format: "esm",
    sourcemap: true,
    // Errors carry the names of their classes; two modules may have classes of one name.
    keepNames: true,
    entryFileNames: "[name].js",
    chunkFileNames: "[name]-[hash].js",
    // What entry points share is one file: many small ones take longer to load than the code that is not needed.
    codeSplitting: { groups: [{ name: "shared", minShareCount: 2 }] },
    comments: { legal: true, annotation: false, jsdoc: false },
  });
  return output.filter((file) => file.type === "chunk");
}

/** The bundler's helpers for syntax that the oldest Node lacks, such as `using`, become part of the bundle. */
function isOtherPackage(specifier: string): boolean {
  return !/^[./\0]/.test(specifier) && !specifier.startsWith("@oxc-project/runtime/");
}

/** Throws if the package imports what is not among its dependencies: it would be missing after an installation. */
function checkImports({ name, dependencies }: PublishedPackage, chunks: readonly OutputChunk[]): void {
  const own = new Set(chunks.map(({ fileName }) => fileName));
  const imported = new Set(chunks.flatMap(({ imports, dynamicImports }) => [...imports, ...dynamicImports]));
  for (const specifier of imported) {
    const dependency = /^(@[^/]+\/)?[^/]+/.exec(specifier)?.[0] ?? specifier;
    if (own.has(specifier) || isBuiltin(specifier) || dependencies.includes(dependency)) continue;
    throw new Error(`build ${name}: it imports ${specifier}; add ${dependency} to its dependencies`);
  }
}

/**
 * Gives `import.meta.url` the value that it would have in a module that is not bundled: the address of its own file in
 * `dist`, or in `testing`, to which a path such as `../../go` is relative.
 */
function moduleAddresses(folder: string): Plugin {
  const wanting = new Set<string>();
  const places = [
    [`${folder}/src/`, "./"],
    [`${folder}/testing/`, "../testing/"],
  ] as const;
  return {
    name: "module-addresses",
    transform: {
      filter: { code: "import.meta.url" },
      handler(code, id) {
        const [sources, place] = places.find(([start]) => id.startsWith(start)) ?? [];
        if (sources === undefined) return;
        const path = `${place}${id.slice(sources.length).replace(/\.ts$/, ".js")}`;
        wanting.add(id);
        const address = `new URL("${path}", import.meta.url).href`;
        return { code: code.replaceAll("import.meta.url", address), map: null };
      },
    },
    generateBundle(_, files) {
      for (const file of Object.values(files)) {
        if (file.type !== "chunk" || !file.fileName.includes("/")) continue;
        const module = file.moduleIds.find((id) => wanting.has(id));
        if (module !== undefined)
          this.error(`${module} reads import.meta.url, which is not supported in dist/${file.fileName}`);
      }
    },
  };
}

/**
 * Takes `node:http` as CommonJS does. An import statement reads every export of a built-in module, and this one has
 * getters (`WebSocket`) that then load Node's whole fetch: 13 MB in a process that does nothing else.
 */
const plainHttp: Plugin = {
  name: "plain-http",
  renderChunk(code) {
    const statement = /^import \{ ([^}]+) \} from "node:http";$/m;
    const plain = code.replace(statement, (_, names: string) => {
      const bindings = names.replaceAll(" as ", ": ");
      return `const { ${bindings} } = process.getBuiltinModule("node:http");`;
    });
    if (/^import .*"node:http";$/m.test(plain))
      this.error("node:http is imported in a form that has no names");
    return { code: plain, map: null };
  },
};
