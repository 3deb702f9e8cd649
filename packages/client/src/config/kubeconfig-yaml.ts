import { LineCounter, parseAllDocuments, type Tags } from "yaml";
import { KubeconfigError } from "./errors.ts";

/**
 * Reads YAML, and so JSON, as kubectl does: version 1.1 without timestamps, the last of equal keys counts, only the
 * first document is read. Gives undefined for a file with nothing in it.
 *
 * Errors say where, and never quote the file: the line with the mistake may hold a token.
 */
export function parseKubeconfigYaml(text: string, file: string): unknown {
  const lineCounter = new LineCounter();
  const documents = parseAllDocuments(text, {
    version: "1.1",
    uniqueKeys: false,
    prettyErrors: false,
    logLevel: "silent",
    customTags: (tags) => tags.filter((tag) => !isTimestamp(tag)),
    lineCounter,
  });
  const [first] = documents;
  if (first === undefined) return undefined;
  const [problem] = first.errors;
  if (problem !== undefined) {
    const { line, col } = lineCounter.linePos(problem.pos[0]);
    const what = problem.code.toLowerCase().replaceAll("_", " ");
    throw notYaml(file, `line ${line}, column ${col} is not YAML (${what})`);
  }
  try {
    return first.toJS() ?? undefined;
  } catch {
    // biome-ignore lint/style/useErrorCause: the library's message quotes the file
    throw notYaml(file, "it refers to an anchor that it does not define, or too often");
  }
}

function isTimestamp(tag: Tags[number]): boolean {
  return typeof tag === "string" ? tag === "timestamp" : tag.tag === "tag:yaml.org,2002:timestamp";
}

function notYaml(file: string, problem: string): KubeconfigError {
  return new KubeconfigError({
    file,
    problem,
    advice: "mend the file; kubectl config view shows what it holds",
  });
}
