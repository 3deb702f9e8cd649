import { readFile } from "node:fs/promises";
import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import type { GenericObject, Operator } from "keelson";
import { isRecord } from "keelson/low-level";
import { UnreadableSampleError } from "./errors.ts";

/** An object as a file holds it: with a name, and without what the server adds. */
export type SampleObject = GenericObject & { readonly metadata: { readonly name: string } };

/** An object to try an operator with. */
export interface Sample {
  readonly object: SampleObject;
  /** The path of its file, for messages. */
  readonly file: string;
}

/** The samples of operators. */
export interface Samples {
  readonly first: readonly Sample[];
  /** To be applied when the first ones are settled; they may change some of them. */
  readonly later: readonly Sample[];
}

/**
 * All samples of the operators, in their order, where `${name}` stands for one of the texts. Throws an
 * UnreadableSampleError.
 */
export async function readSamples(
  operators: readonly Operator[],
  folder: string,
  texts: ReadonlyMap<string, string> = new Map(),
): Promise<Samples> {
  const read = async (files: readonly URL[]): Promise<readonly Sample[]> =>
    (await Promise.all(files.map((url) => readSampleFile(url, folder, texts)))).flat();
  return {
    first: await read(operators.flatMap(({ samples }) => samples?.files ?? [])),
    later: await read(operators.flatMap(({ samples }) => samples?.later ?? [])),
  };
}

/** Whether two samples are the same object. */
export function isSameSample({ object: one }: Sample, { object: other }: Sample): boolean {
  return (
    one.apiVersion === other.apiVersion &&
    one.kind === other.kind &&
    one.metadata.name === other.metadata.name &&
    one.metadata.namespace === other.metadata.namespace
  );
}

async function readSampleFile(
  url: URL,
  folder: string,
  texts: ReadonlyMap<string, string>,
): Promise<readonly Sample[]> {
  const file = shownPath(url, folder);
  try {
    // Loaded only where there are samples to parse.
    const { parseAllDocuments } = await import("yaml");
    const text = (await readFile(url, "utf8")).replaceAll(
      /\$\{(\w+)\}/g,
      (whole, name: string) => texts.get(name) ?? whole,
    );
    const documents = [parseAllDocuments(text)].flat();
    return documents.flatMap((document) => {
      for (const error of document.errors) throw error;
      const object: unknown = document.toJS();
      // A document may consist of a comment.
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

function isObject(value: unknown): value is SampleObject {
  if (!isRecord(value) || !isRecord(value.metadata)) return false;
  return [value.apiVersion, value.kind, value.metadata.name].every((each) => typeof each === "string");
}
