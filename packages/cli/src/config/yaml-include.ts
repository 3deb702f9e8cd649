import type { Stats } from "node:fs";
import { glob, readFile, realpath, stat } from "node:fs/promises";
import { dirname, extname, resolve, sep } from "node:path";
import { isRecord, toError } from "keelson/low-level";
import { isAlias, isMap, isScalar, type ScalarTag, type SchemaOptions } from "yaml";
import { parseYaml, type YamlDocument } from "./yaml-document.ts";

/** Stands in a file for the contents of others: `!include "defaults.yaml, conf.d/*.yaml, !conf.d/old.yaml"`. */
export class Include {
  readonly patterns: string;

  constructor(patterns: string) {
    this.patterns = patterns;
  }
}

/** A YAML file that may include others. */
export interface IncludingFile {
  readonly path: string;
  /** Plain values, with an Include wherever others are included. */
  readonly content: unknown;
  /** Such as `conf.yaml:3`: where the last of these keys, one below the other, is written. */
  readonly placeOf: (keys: readonly string[]) => string;
  /** The real paths of the files that include it, from the first one to itself. */
  readonly chain: readonly string[];
}

const mostFiles = 100;
/** A Secret, which most configurations are mounted from, is no larger. */
const mostBytes = 1_048_576;
const wildcard = /[*?[]/;

const boolTag = "tag:yaml.org,2002:bool";
const timestampTag = "tag:yaml.org,2002:timestamp";
const includeTag: ScalarTag = { tag: "!include", resolve: (text) => new Include(text) };
const booleanTags: readonly ScalarTag[] = [
  { tag: boolTag, default: true, test: /^(?:yes|Yes|YES|true|True|TRUE|on|On|ON)$/, resolve: () => true },
  { tag: boolTag, default: true, test: /^(?:no|No|NO|false|False|FALSE|off|Off|OFF)$/, resolve: () => false },
];

/**
 * YAML 1.1, as PyYAML and the tools of Kubernetes read it: `yes` and `off` are booleans, `y` and `n` are not. A time is left
 * the text that it is written as, which is what JSON can hold.
 */
const yaml11: SchemaOptions & { readonly version: "1.1" } = {
  version: "1.1",
  customTags: (tags) => [
    ...booleanTags,
    includeTag,
    ...tags.filter((tag) => typeof tag === "string" || (tag.tag !== boolTag && tag.tag !== timestampTag)),
  ],
};

/** Reads files and what they include. */
export class IncludingFiles {
  /** What is wrong with the files, a line for each. */
  readonly problems: string[] = [];
  /** What is included and does not exist. */
  readonly warnings: string[] = [];
  #count = 0;

  /** Undefined if it cannot be read, which is a problem. */
  async read(path: string, includedBy: readonly string[] = []): Promise<IncludingFile | undefined> {
    this.#count++;
    if (this.#count > mostFiles) {
      if (this.#count === mostFiles + 1)
        this.problems.push(`${path}: more than ${mostFiles} files are included; include fewer`);
      return undefined;
    }
    const text = await this.#textOf(path);
    if (text === undefined) return undefined;
    const parsed = parseYaml(text, path, yaml11);
    this.problems.push(...parsed.problems);
    return {
      path,
      content: this.#contentOf(parsed, path),
      placeOf: (keys) => placeOfKeys(parsed, path, keys),
      chain: [...includedBy, await realpath(path)],
    };
  }

  /** The files that are to be merged in this order. `place` is that of the Include. */
  async included({ patterns }: Include, by: IncludingFile, place: string): Promise<readonly IncludingFile[]> {
    const paths = await this.#pathsOf(patterns, dirname(by.path), place);
    const files: IncludingFile[] = [];
    for (const [real, path] of paths) {
      if (by.chain.includes(real)) {
        this.problems.push(`${place}: includes ${path}, which includes it in turn; remove one of both`);
        continue;
      }
      const file = await this.read(path, by.chain);
      if (file !== undefined) files.push(file);
    }
    return files;
  }

  /** A part of a file's content, with what it includes. */
  async resolved(content: unknown, by: IncludingFile, place: string): Promise<unknown> {
    if (content instanceof Include) {
      let merged: unknown;
      for (const file of await this.included(content, by, place))
        merged = mergeValues(merged, await this.resolved(file.content, file, file.path));
      return merged;
    }
    if (Array.isArray(content)) {
      const items: unknown[] = [];
      for (const item of content) items.push(await this.resolved(item, by, place));
      return items;
    }
    if (!isRecord(content)) return content;
    const entries: [string, unknown][] = [];
    for (const [key, value] of Object.entries(content))
      entries.push([key, await this.resolved(value, by, place)]);
    return Object.fromEntries(entries);
  }

  async #textOf(path: string): Promise<string | undefined> {
    try {
      const stats = await stat(path);
      if (!stats.isFile()) this.problems.push(`${path}: is not a file; name one`);
      else if (stats.size > mostBytes)
        this.problems.push(`${path}: is larger than ${mostBytes} bytes; divide it`);
      else if (extname(path) === ".toml")
        this.problems.push(`${path}: is TOML, which is not read; write the same as YAML`);
      else return await readFile(path, "utf8");
    } catch (error) {
      this.problems.push(`${path}: cannot be read: ${toError(error).message}; look at its permissions`);
    }
    return undefined;
  }

  #contentOf({ document, placeOf }: YamlDocument, path: string): unknown {
    if (document === undefined) return undefined;
    // Such as one of a tag that does not exist.
    for (const { pos, message } of document.warnings)
      this.problems.push(`${placeOf(pos[0])}: ${message}; correct it`);
    try {
      const content: unknown = document.toJS();
      return content;
    } catch (error) {
      // Aliases that stand for too much.
      this.problems.push(`${path}: cannot be read: ${toError(error).message}; correct it`);
      return undefined;
    }
  }

  /** Paths by real paths, so that no file is included twice, in the order of their folders and names. */
  async #pathsOf(patterns: string, folder: string, place: string): Promise<ReadonlyMap<string, string>> {
    const included = new Map<string, string>();
    const excluded = new Set<string>();
    for (const item of patterns.split(",").map((each) => each.trim())) {
      const isExcluded = item.startsWith("!");
      const pattern = isExcluded ? item.slice(1) : item;
      if (pattern === "") continue;
      const found = await matching(pattern, folder);
      if (found.length === 0 && !isExcluded && !wildcard.test(pattern))
        this.warnings.push(`${place}: includes ${pattern}, which does not exist`);
      for (const path of found) {
        const real = await realpath(path);
        if (isExcluded) excluded.add(real);
        else included.set(real, path);
      }
    }
    const sorted = [...included]
      .filter(([real]) => !excluded.has(real))
      .toSorted(([, one], [, other]) => compareByParts(one, other));
    return new Map(sorted);
  }
}

/** Maps are merged key by key. Of anything else the second value counts, unless it is none. */
export function mergeValues(first: unknown, second: unknown): unknown {
  if (!isRecord(first) || !isRecord(second)) return second ?? first;
  const entries = Object.entries(second).map(([key, value]): [string, unknown] => [
    key,
    Object.hasOwn(first, key) ? mergeValues(first[key], value) : value,
  ]);
  return Object.fromEntries([...Object.entries(first), ...entries]);
}

async function matching(pattern: string, folder: string): Promise<readonly string[]> {
  if (!wildcard.test(pattern)) {
    const path = resolve(folder, pattern);
    return (await statsOf(path)) === undefined ? [] : [path];
  }
  const files: string[] = [];
  for await (const match of glob(pattern, { cwd: folder })) {
    const path = resolve(folder, match);
    if ((await statsOf(path))?.isFile() === true) files.push(path);
    // The reader refuses so many.
    if (files.length > mostFiles) break;
  }
  return files;
}

async function statsOf(path: string): Promise<Stats | undefined> {
  try {
    return await stat(path);
  } catch {
    // A link that leads nowhere is as good as none.
    return undefined;
  }
}

function compareByParts(one: string, other: string): number {
  const [first, second] = [one.split(sep).join("\0"), other.split(sep).join("\0")];
  return first < second ? -1 : first > second ? 1 : 0;
}

/** A key that is merged from elsewhere in the file has no place of its own: its section has. */
function placeOfKeys({ document, placeOf }: YamlDocument, path: string, keys: readonly string[]): string {
  let place = path;
  let node: unknown = document?.contents;
  for (const key of keys) {
    const section: unknown = isAlias(node) && document !== undefined ? node.resolve(document) : node;
    if (!isMap(section)) return place;
    const pair = section.items.find((each) => isScalar(each.key) && String(each.key.value) === key);
    if (pair === undefined || !isScalar(pair.key)) return place;
    place = placeOf(pair.key.range?.[0] ?? 0);
    node = pair.value;
  }
  return place;
}
