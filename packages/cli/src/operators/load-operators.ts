import { stat } from "node:fs/promises";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { Operator } from "keelson";
import { errorCode, groupResourceOf, isRecord } from "keelson/low-level";
import { nearest } from "../config/nearest.ts";
import {
  DuplicateOperatorError,
  NoOperatorExportedError,
  OperatorFileNotFoundError,
  OperatorModuleError,
  UnknownOperatorError,
} from "./errors.ts";

/** The operators that come with the command, by name. Each is loaded when it is named. */
export type BundledOperators = ReadonlyMap<string, () => Promise<Operator>>;

export const bundledOperators: BundledOperators = new Map([
  ["webapp", async () => (await import("@keelson/webapp")).webapp],
  ["backup", async () => (await import("@keelson/backup")).backup],
  ["reloader", async () => (await import("@keelson/reloader")).reloader],
  ["shared-secret", async () => (await import("@keelson/shared-secret")).sharedSecret],
  ["azimuth-capi", async () => (await import("@keelson/azimuth-capi")).azimuthCapi],
]);

export interface LoadOptions {
  readonly bundled: BundledOperators;
  /** The base of relative paths, and of the search for packages. */
  readonly folder: string;
}

/** An operator and its origin. */
export interface LoadedOperator {
  readonly operator: Operator;
  /** The name, path or package that it was loaded by. */
  readonly origin: string;
}

/** Loads all named operators; an OperatorError if one cannot be loaded, or if two have the same name. */
export async function loadOperators(
  names: readonly string[],
  options: LoadOptions,
): Promise<readonly LoadedOperator[]> {
  const loaded: LoadedOperator[] = [];
  // One after the other, so that of several mistakes the first one is reported.
  for (const origin of new Set(names))
    for (const operator of await loadOne(origin, options)) loaded.push({ operator, origin });
  const byName = Map.groupBy(loaded, ({ operator }) => operator.name);
  for (const [name, [first, second]] of byName)
    if (first !== undefined && second !== undefined)
      throw new DuplicateOperatorError(name, [first.origin, second.origin]);
  return loaded;
}

async function loadOne(name: string, { bundled, folder }: LoadOptions): Promise<readonly Operator[]> {
  const load = bundled.get(name);
  if (load !== undefined) return [await load()];
  const url = isPath(name) ? await fileUrl(name, folder) : packageUrl(name, folder);
  if (url === undefined) {
    const known = [...bundled.keys()];
    throw new UnknownOperatorError(name, known, nearest(name, known));
  }
  const exported = await importModule(name, url);
  // An operator may be exported under several names, and also as the default.
  const operators = new Set(Object.values(exported).filter(isOperator));
  if (operators.size === 0) throw new NoOperatorExportedError(name, Object.keys(exported));
  return [...operators];
}

function isPath(name: string): boolean {
  return /^(\.{0,2}\/|file:|[a-z]:[\\/])/i.test(name) || /\.[cm]?[jt]s$/.test(name);
}

async function fileUrl(name: string, folder: string): Promise<string> {
  const path = name.startsWith("file:") ? fileURLToPath(name) : resolve(folder, name);
  const file = await stat(path).catch(() => undefined);
  if (file?.isFile() !== true) throw new OperatorFileNotFoundError(name);
  return pathToFileURL(path).href;
}

/** The URL of the package as the folder resolves it; undefined if it is not installed there. */
function packageUrl(name: string, folder: string): string | undefined {
  try {
    return pathToFileURL(createRequire(join(folder, "package.json")).resolve(name)).href;
  } catch (error) {
    // It is installed, but can only be imported, not required: then this command resolves it.
    if (errorCode(error) === "ERR_PACKAGE_PATH_NOT_EXPORTED") return name;
    return undefined;
  }
}

async function importModule(name: string, url: string): Promise<Record<string, unknown>> {
  try {
    const exported: unknown = await import(url);
    return isRecord(exported) ? { ...exported } : {};
  } catch (error) {
    throw new OperatorModuleError(name, { cause: error });
  }
}

/** Recognised by its shape: it may have been made by another copy of the package than ours. */
function isOperator(value: unknown): value is Operator {
  if (!isRecord(value)) return false;
  const { name, resources, uses, cache, controllers, setup } = value;
  const lists = [resources, uses, cache, controllers];
  return typeof name === "string" && lists.every(Array.isArray) && typeof setup === "function";
}

/** A line for each operator, with its origin and its kinds. */
export function operatorList(loaded: readonly LoadedOperator[]): string {
  const width = Math.max(...loaded.map(({ operator }) => operator.name.length));
  return loaded
    .map(({ operator: { name, resources }, origin }) => {
      const kinds = resources
        .map((resource) => `${groupResourceOf(resource)}/${resource.version}`)
        .join(", ");
      return `${name.padEnd(width)}  ${origin}${kinds === "" ? "" : `  ${kinds}`}\n`;
    })
    .join("");
}
