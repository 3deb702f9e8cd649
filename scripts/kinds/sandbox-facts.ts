import { referenceOf, referencesIn, type Schema } from "./schema.ts";
import type { DiscoveredApi, DiscoveredGroup, DiscoveredResource } from "./server-api.ts";
import { homeOf, metaModule, moduleOf } from "./type-home.ts";

/**
 * What the embedded control plane needs to know of the built-in kinds, as modules of data: for each group and version
 * the schemas as JSON text, one a line; all of them in one index; and what discovery lists. Without descriptions. The
 * same server gives the same text; it is not laid out yet.
 */
export function factModules(api: DiscoveredApi): ReadonlyMap<string, string> {
  const header = `// Generated from Kubernetes ${api.kubernetes} by \`npm run generate:kinds\`; do not edit.\n`;
  const modules = new Set(api.groupVersions.map(moduleOf)).add(metaModule);
  const names = [...reachable(api, modules)].sort();
  const byModule = Map.groupBy(names, dataModuleOf);
  const paths = [...byModule.keys()].sort();
  const files = paths.map((path): [string, string] => {
    const lines = (byModule.get(path) ?? []).map((name) => [name, factsOf(schemaNamed(api, name))] as const);
    return [
      `${path}.ts`,
      `${header}export const schemas: string = ${jsonText(Object.fromEntries(lines))};\n`,
    ];
  });
  return new Map([
    ...files,
    ["schema-modules.ts", header + indexText(paths)],
    ["discovery.ts", header + discoveryText(api)],
  ]);
}

/** Schemas of the served groups and of what they share, and all that they use. */
function reachable(api: DiscoveredApi, modules: ReadonlySet<string>): ReadonlySet<string> {
  const reached = new Set([...api.schemas.keys()].filter((name) => modules.has(homeOf(name).module)));
  // What is added to a Set while it is walked is walked too.
  for (const name of reached) for (const needed of referencesIn(schemaNamed(api, name))) reached.add(needed);
  return reached;
}

/** What several groups use, such as quantities, is kept beside meta/v1. */
function dataModuleOf(name: string): string {
  return name.startsWith("io.k8s.apimachinery.") ? metaModule : homeOf(name).module;
}

function schemaNamed(api: DiscoveredApi, name: string): Schema {
  const schema = api.schemas.get(name);
  if (schema === undefined) throw new Error(`look up schema ${name}: the server has none of this name`);
  return schema;
}

const keptFields = [
  "type",
  "format",
  "required",
  "default",
  "enum",
  "x-kubernetes-list-type",
  "x-kubernetes-list-map-keys",
  "x-kubernetes-map-type",
  "x-kubernetes-patch-strategy",
  "x-kubernetes-patch-merge-key",
  "x-kubernetes-int-or-string",
  "x-kubernetes-preserve-unknown-fields",
] as const;

interface Facts {
  $ref?: string;
  oneOf?: readonly Facts[];
  items?: Facts;
  additionalProperties?: Facts;
  properties?: Readonly<Record<string, Facts>>;
  [field: `x-kubernetes-${string}`]: unknown;
  [field: string]: unknown;
}

/** A schema without what people read; references are names, and not wrapped in an `allOf`. */
function factsOf(schema: Schema): Facts {
  const facts: Facts = {};
  const target = referenceOf(schema);
  if (target !== undefined) facts.$ref = target;
  for (const field of keptFields) if (schema[field] !== undefined) facts[field] = schema[field];
  const kinds = schema["x-kubernetes-group-version-kind"] ?? [];
  // The rest, such as DeleteOptions, belongs to every group.
  if (kinds.length === 1) facts["x-kubernetes-group-version-kind"] = kinds;
  if (schema.oneOf !== undefined) facts.oneOf = schema.oneOf.map(factsOf);
  if (schema.items !== undefined) facts.items = factsOf(schema.items);
  if (schema.additionalProperties !== undefined)
    facts.additionalProperties = factsOf(schema.additionalProperties);
  if (schema.properties !== undefined)
    facts.properties = Object.fromEntries(
      Object.entries(schema.properties).map(([name, property]) => [name, factsOf(property)]),
    );
  return facts;
}

function indexText(paths: readonly string[]): string {
  const imports = paths.map((path) => `import { schemas as ${identifier(path)} } from "./${path}.ts";\n`);
  const entries = paths.map((path) => `  ["${path}", ${identifier(path)}],\n`);
  return [
    ...imports,
    "\n/** The schemas of each module as JSON text, to be parsed when one is needed. */\n",
    `export const schemaModules: ReadonlyMap<string, string> = new Map([\n${entries.join("")}]);\n`,
  ].join("");
}

function identifier(path: string): string {
  const [group = "", version = ""] = path.split("/");
  return group + version.slice(0, 1).toUpperCase() + version.slice(1);
}

function discoveryText(api: DiscoveredApi): string {
  const resources = api.groupVersions.flatMap(({ group, version, resources }) =>
    resources.map((resource): [string, DiscoveredResource] => {
      return [`${group}/${version}/${resource.name}`, resource];
    }),
  );
  const groups = api.groups.map((group): [string, DiscoveredGroup["versions"]] => {
    return [group.name, group.versions];
  });
  return [
    `export const kubernetesVersion = "${api.kubernetes}";\n`,
    "\n/** The versions of each named group, preferred ones first, in the order of the server; JSON text. */\n",
    `export const groups: string = ${jsonText(Object.fromEntries(groups))};\n`,
    "\n/** Each resource and subresource as discovery lists it, by `group/version/name`; JSON text. */\n",
    `export const resources: string = ${jsonText(Object.fromEntries(resources))};\n`,
  ].join("");
}

/** A template literal of JSON, one entry a line, so that a change shows where it is. */
function jsonText(entries: Readonly<Record<string, unknown>>): string {
  const lines = Object.entries(entries).map(
    ([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`,
  );
  const text = `{\n${lines.join(",\n")}\n}`;
  return `\`${text.replaceAll("\\", "\\\\").replaceAll("`", "\\`").replaceAll("${", "\\${")}\``;
}
