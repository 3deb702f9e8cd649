import { interfaceText, metaTypeOf, objectKindOf, type ServedKind, valueText } from "./declaration.ts";
import { Imports } from "./imports.ts";
import { isDeclared, referencesIn, type Schema, type SchemaKind, type Schemas } from "./schema.ts";
import { homeOf, isHandWritten, metaModule, moduleOf } from "./type-home.ts";
import { withWireForms } from "./wire-forms.ts";

/** What a server publishes about its built-in kinds. */
export interface ServerApi {
  /** Such as `v1.36.2`. */
  readonly kubernetes: string;
  readonly groupVersions: readonly GroupVersion[];
  readonly schemas: Schemas;
  /** The kinds whose objects the server returns without storing them, such as reviews. */
  readonly unstored: readonly SchemaKind[];
}

export interface GroupVersion {
  readonly group: string;
  readonly version: string;
  readonly kinds: readonly ServedKind[];
}

/**
 * The source of every module of kinds, by its path below the folder of kinds: one for each group and version, and one
 * for what they need of meta/v1 beyond core's own. The same server gives the same text; it is not laid out yet.
 */
export function kindModules(api: ServerApi): ReadonlyMap<string, string> {
  const schemas = withWireForms(api.schemas);
  const served = new Map(api.groupVersions.map((each) => [moduleOf(each), each.kinds]));
  const ofGroups = [...schemas.keys()].filter((name) => served.has(homeOf(name).module));
  const ofMeta = reachedFrom(ofGroups, schemas).filter((name) => homeOf(name).module === metaModule);
  const declared = [...ofGroups, ...ofMeta].filter((name) => isDeclared(schemaNamed(name, schemas)));
  const byModule = Map.groupBy(declared.sort(), (name) => homeOf(name).module);
  const modules = [...new Set([...served.keys(), ...byModule.keys()])].sort();
  return new Map(
    modules.map((module) => {
      const kinds = served.get(module) ?? [];
      const text = moduleText(module, byModule.get(module) ?? [], kinds, { ...api, schemas });
      return [`${module}.ts`, header(`Kubernetes ${api.kubernetes}`) + text];
    }),
  );
}

/** The same modules under the same paths in another package, which depends on core: all that each of them exports. */
export function passingOn(modules: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  const passedOn = [...modules.keys()].map((path) => {
    const module = `@keelson/core/kinds/${path.replace(/\.ts$/, "")}`;
    return [path, `${header("core's kinds")}export * from "${module}";\n`] as const;
  });
  return new Map(passedOn);
}

function header(source: string): string {
  return `// Generated from ${source} by \`npm run generate:kinds\`; do not edit.\n`;
}

/** These schemas and all that must be generated for them, however far away. */
function reachedFrom(names: readonly string[], schemas: Schemas): readonly string[] {
  const reached = new Set(names);
  // What is added to a Set while it is walked is walked too.
  for (const name of reached)
    for (const needed of referencesIn(schemaNamed(name, schemas)))
      if (!isHandWritten(homeOf(needed))) reached.add(needed);
  return [...reached];
}

function moduleText(
  module: string,
  schemaNames: readonly string[],
  kinds: readonly ServedKind[],
  { schemas, unstored }: ServerApi,
): string {
  const types = new Map(schemaNames.map((name) => [homeOf(name).type, schemaNamed(name, schemas)]));
  const bare = kinds.find(({ kind }) => !types.has(kind));
  if (bare !== undefined) throw new Error(`declare ${module} ${bare.kind}: it is served but has no schema`);
  const imports = new Imports(module, [...types.keys()]);
  const scope = {
    schemaOf: (name: string) => schemaNamed(name, schemas),
    nameOf: (name: string) => imports.nameOf(name),
    keyed: () => imports.take("../../meta.ts", "Keyed"),
  };
  const valuesFor = (type: string, schema: Schema): readonly string[] => {
    const served = kinds.find(({ kind }) => kind === type);
    if (served !== undefined) return [valueText(served, imports.take("../../resource.ts", "Resource"))];
    // Without a path of its own, its objects travel to and from subresources, as an Eviction does.
    const posted = objectKindOf(schema);
    return posted === undefined ? [] : [valueText(posted, imports.take("../../resource.ts", "Kind"))];
  };
  const metaTypeFor = (type: string, schema: Schema): string | undefined => {
    if (objectKindOf(schema) === undefined) return undefined;
    const served = kinds.find(({ kind }) => kind === type);
    const isStored = !unstored.some((each) => each.kind === type && moduleOf(each) === module);
    const metaType = metaTypeOf(served, isStored);
    return metaType === undefined ? undefined : imports.take("../../meta.ts", metaType);
  };
  const declarations = [...types].flatMap(([type, schema]) => [
    interfaceText(type, schema, scope, metaTypeFor(type, schema)),
    ...valuesFor(type, schema),
  ]);
  // Only now is it known what is imported.
  return [imports.text(), ...declarations].join("\n");
}

function schemaNamed(name: string, schemas: Schemas): Schema {
  const schema = schemas.get(name);
  if (schema === undefined) throw new Error(`look up schema ${name}: the server has none of this name`);
  return schema;
}
