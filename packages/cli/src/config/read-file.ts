import { readFile } from "node:fs/promises";
import { errorCode, toError } from "keelson/low-level";
import { isMap, isScalar, type YAMLMap } from "yaml";
import { nearest } from "./nearest.ts";
import type { GivenValue, Reading, Setting } from "./setting.ts";
import { parseYaml } from "./yaml-document.ts";

/** Reads a YAML file whose keys are settings. */
export async function readConfigFile(path: string, settings: readonly Setting[]): Promise<Reading> {
  try {
    return readConfigText(await readFile(path, "utf8"), path, settings);
  } catch (error) {
    const problem =
      errorCode(error) === "ENOENT"
        ? "there is no such file; give the path of one by --config or KEELSON_CONFIG"
        : `cannot be read: ${toError(error).message}; look at its permissions`;
    return { given: new Map(), problems: [`${path}: ${problem}`] };
  }
}

/** Reads the text of such a file; `path` is for messages. */
export function readConfigText(text: string, path: string, settings: readonly Setting[]): Reading {
  const given = new Map<string, GivenValue>();
  const { document, placeOf, problems: wrong } = parseYaml(text, path);
  const problems = [...wrong];
  const contents = document?.contents ?? null;
  if (contents === null || (isScalar(contents) && contents.value === null)) return { given, problems };
  if (!isMap(contents))
    return { given, problems: [`${path}:1: is not a mapping; write settings such as metricsPort: 8080`] };
  readMapping(contents, [], { settings, placeOf, given, problems });
  return { given, problems };
}

interface FileReading {
  readonly settings: readonly Setting[];
  readonly placeOf: (offset: number) => string;
  readonly given: Map<string, GivenValue>;
  readonly problems: string[];
}

function readMapping(mapping: YAMLMap, path: readonly string[], reading: FileReading): void {
  const { settings, placeOf, given, problems } = reading;
  const values = new Map<string, unknown>(Object.entries(mapping.toJSON()));
  for (const { key, value: node } of mapping.items) {
    const name = isScalar(key) ? String(key.value) : String(key);
    const at = [...path, name];
    const place = placeOf(isScalar(key) ? (key.range?.[0] ?? 0) : 0);
    const value = values.get(name);
    const within = settings.filter((setting) => at.every((each, index) => setting.path[index] === each));
    if (within.length === 0) problems.push(`${place}: ${unknownKey(path, name, settings)}`);
    // A key without a value counts as not set.
    else if (value === null) continue;
    else if (within.some((setting) => setting.path.length === at.length))
      given.set(at.join("."), { value, origin: place });
    else if (isMap(node)) readMapping(node, at, reading);
    else
      problems.push(`${place}: ${at.join(".")} must be a mapping of ${keysWithin(at, settings).join(", ")}`);
  }
}

/** What a file may hold, by its keys. */
type Known = Pick<Setting, "path">;

/** The keys below the path, each once. */
export function keysWithin(path: readonly string[], known: readonly Known[]): readonly string[] {
  const below = known.filter((each) => path.every((key, index) => each.path[index] === key));
  return [...new Set(below.flatMap((each) => each.path[path.length] ?? []))];
}

/** Says that there is no such key below the path, and which one may be meant. */
export function unknownKey(path: readonly string[], name: string, known: readonly Known[]): string {
  const names = keysWithin(path, known);
  // The names of flags and variables are frequent mistakes.
  const camelCase = name
    .replace(/^KEELSON_|^--/i, "")
    .replace(/[-_](\w)/g, (_, letter) => letter.toUpperCase());
  const meant = nearest(camelCase, names);
  const prefix = path.map((key) => `${key}.`).join("");
  const advice = meant === undefined ? `there are ${names.join(", ")}` : `did you mean ${prefix}${meant}?`;
  return `${prefix}${name} is not a setting; ${advice}`;
}
