import { readFile } from "node:fs/promises";
import { errorCode, toError } from "keelson/low-level";
import { isMap, isScalar, LineCounter, parseAllDocuments, type YAMLMap } from "yaml";
import { nearest } from "./nearest.ts";
import type { GivenValue, Reading, Setting } from "./setting.ts";

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
  const problems: string[] = [];
  const lines = new LineCounter();
  const placeOf = (offset: number): string => `${path}:${lines.linePos(offset).line}`;
  const documents = parseAllDocuments(text, { lineCounter: lines, prettyErrors: false });
  const [document, second] = Array.isArray(documents) ? documents : [];
  if (document === undefined) return { given, problems };
  for (const { pos, message } of document.errors)
    problems.push(`${placeOf(pos[0])}: is not YAML: ${firstLine(message)}; correct it`);
  if (second !== undefined)
    problems.push(`${placeOf(second.range[0])}: a second document begins here; a file holds one`);
  const { contents } = document;
  if (problems.length > 0 || contents === null || (isScalar(contents) && contents.value === null))
    return { given, problems };
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
    if (within.length === 0) problems.push(`${place}: ${unknown(path, name, settings)}`);
    // A key without a value counts as not set.
    else if (value === null) continue;
    else if (within.some((setting) => setting.path.length === at.length))
      given.set(at.join("."), { value, origin: place });
    else if (isMap(node)) readMapping(node, at, reading);
    else
      problems.push(`${place}: ${at.join(".")} must be a mapping of ${keysWithin(at, settings).join(", ")}`);
  }
}

/** The keys below the path, each once. */
function keysWithin(path: readonly string[], settings: readonly Setting[]): readonly string[] {
  const below = settings.filter((setting) => path.every((key, index) => setting.path[index] === key));
  return [...new Set(below.flatMap((setting) => setting.path[path.length] ?? []))];
}

function unknown(path: readonly string[], name: string, settings: readonly Setting[]): string {
  const names = keysWithin(path, settings);
  // The names of flags and variables are frequent mistakes.
  const camelCase = name
    .replace(/^KEELSON_|^--/i, "")
    .replace(/[-_](\w)/g, (_, letter) => letter.toUpperCase());
  const meant = nearest(camelCase, names);
  const prefix = path.map((key) => `${key}.`).join("");
  const advice = meant === undefined ? `there are ${names.join(", ")}` : `did you mean ${prefix}${meant}?`;
  return `${prefix}${name} is not a setting; ${advice}`;
}

function firstLine(message: string): string {
  return message.split("\n", 1)[0] ?? message;
}
