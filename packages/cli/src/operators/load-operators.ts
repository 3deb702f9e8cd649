import { stat } from "node:fs/promises";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { errorCode, isRecord, type Operator } from "keelson";
import { nearest } from "../config/nearest.ts";
import type { BundledOperators } from "./bundled.ts";
import {
  DuplicateOperatorError,
  NoOperatorExportedError,
  OperatorFileNotFoundError,
  OperatorModuleError,
  UnknownOperatorError,
} from "./errors.ts";

export interface LoadOptions {
  readonly bundled: BundledOperators;
  /** Where paths begin, and where packages are looked for. */
  readonly folder: string;
}

/** An operator and where it came from. */
export interface LoadedOperator {
  readonly operator: Operator;
  /** As it was named by people. */
  readonly origin: string;
}

/** Loads all that is named; an OperatorError if one cannot be, or if two have one name. */
export async function loadOperators(
  names: readonly string[],
  options: LoadOptions,
): Promise<readonly LoadedOperator[]> {
  const loaded: LoadedOperator[] = [];
  // One after the other, so that of several mistakes the first is the one that is told.
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

/** Where the package is as seen from the folder; undefined if it is not installed there. */
function packageUrl(name: string, folder: string): string | undefined {
  try {
    return pathToFileURL(createRequire(join(folder, "package.json")).resolve(name)).href;
  } catch (error) {
    // It is there, but lets itself only be imported: then it is looked for beside this command.
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
  const { name, resources, uses, setup } = value;
  return (
    typeof name === "string" && Array.isArray(resources) && Array.isArray(uses) && typeof setup === "function"
  );
}
