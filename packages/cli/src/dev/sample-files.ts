import { readFile } from "node:fs/promises";
import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import type { GenericObject, Operator } from "keelson";
import { isRecord } from "keelson/low-level";
import { UnreadableSampleError } from "./errors.ts";

/** An object that an operator is tried with. */
export interface Sample {
  readonly object: GenericObject;
  /** Where it is written, for people. */
  readonly file: string;
}

/** All samples of the operators, in their order. Throws an UnreadableSampleError. */
export async function readSamples(
  operators: readonly Operator[],
  folder: string,
): Promise<readonly Sample[]> {
  const files = operators.flatMap(({ samples }) => samples?.files ?? []);
  return (await Promise.all(files.map((url) => readSampleFile(url, folder)))).flat();
}

async function readSampleFile(url: URL, folder: string): Promise<readonly Sample[]> {
  const file = shownPath(url, folder);
  try {
    // Loaded when there is something to parse.
    const { parseAllDocuments } = await import("yaml");
    const documents = [parseAllDocuments(await readFile(url, "utf8"))].flat();
    return documents.flatMap((document) => {
      for (const error of document.errors) throw error;
      const object: unknown = document.toJS();
      // What is between two separators may be a comment.
      if (object === null || object === undefined) return [];
      if (!isObject(object)) throw new Error("it holds something without apiVersion, kind or metadata.name");
      return [{ object, file }];
    });
  } catch (error) {
    throw new UnreadableSampleError(file, { cause: error });
  }
}

function shownPath(url: URL, folder: string): string {
  if (url.protocol !== "file:") return url.href;
  const path = fileURLToPath(url);
  const fromHere = relative(folder, path);
  return fromHere.startsWith("..") ? path : fromHere;
}

function isObject(value: unknown): value is GenericObject {
  if (!isRecord(value) || !isRecord(value.metadata)) return false;
  return [value.apiVersion, value.kind, value.metadata.name].every((each) => typeof each === "string");
}
