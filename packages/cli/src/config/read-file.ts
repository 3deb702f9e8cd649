import { readFile } from "node:fs/promises";
import { errorCode, toError } from "keelson";
import { isMap, isScalar, LineCounter, parseAllDocuments } from "yaml";
import { nearest } from "./nearest.ts";
import type { GivenValue, Reading } from "./reading.ts";
import type { Setting } from "./setting.ts";

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

/** `path` is for people. */
export function readConfigText(text: string, path: string, settings: readonly Setting[]): Reading {
  const given = new Map<string, GivenValue>();
  const problems: string[] = [];
  const lines = new LineCounter();
  const placeOf = (offset: number): string => `${path}:${lines.linePos(offset).line}`;
  const documents = parseAllDocuments(text, { lineCounter: lines, prettyErrors: false });
  const [document, second] = Array.isArray(documents) ? documents : [];
  if (document === undefined) return { given, problems };
  for (const { pos, message } of document.errors)
    problems.push(`${placeOf(pos[0])}: is not YAML: ${firstLine(message)}; mend it`);
  if (second !== undefined)
    problems.push(`${placeOf(second.range[0])}: a second document begins here; a file holds one`);
  const { contents } = document;
  if (problems.length > 0 || contents === null || (isScalar(contents) && contents.value === null))
    return { given, problems };
  if (!isMap(contents))
    return { given, problems: [`${path}:1: is not a mapping; write settings such as metricsPort: 8080`] };
  const values = new Map(Object.entries(contents.toJSON()));
  for (const { key } of contents.items) {
    const name = isScalar(key) ? String(key.value) : String(key);
    const place = placeOf(isScalar(key) ? (key.range?.[0] ?? 0) : 0);
    const value: unknown = values.get(name);
    if (!settings.some((setting) => setting.name === name))
      problems.push(`${place}: ${unknown(name, settings)}`);
    // A key without a value is as good as none.
    else if (value !== null) given.set(name, { value, origin: place });
  }
  return { given, problems };
}

function unknown(name: string, settings: readonly Setting[]): string {
  const names = settings.map((setting) => setting.name);
  // People try the names of flags and variables, too.
  const camelCase = name
    .replace(/^KEELSON_|^--/i, "")
    .replace(/[-_](\w)/g, (_, letter) => letter.toUpperCase());
  const meant = nearest(camelCase, names);
  const advice = meant === undefined ? `there are ${names.join(", ")}` : `did you mean ${meant}?`;
  return `${name} is not a setting; ${advice}`;
}

function firstLine(message: string): string {
  return message.split("\n", 1)[0] ?? message;
}
