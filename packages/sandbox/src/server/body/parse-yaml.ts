import { KeelsonError } from "@keelson/core";
import { isMap, isScalar, isSeq, parseAllDocuments, type Tags } from "yaml";
import { goQuote } from "../../status/go-quote.ts";
import { yamlProblem } from "./yaml-problem.ts";

/** Text that is not YAML; the message is that of Go's parser. */
export class YamlSyntaxError extends KeelsonError {
  static override readonly brand: string = "@keelson/sandbox.YamlSyntaxError";
  readonly code = "YAML_SYNTAX";
}

interface ParsedYaml {
  readonly value: unknown;
  /** The message of Go's strict parser, with a line for each duplicate key of a map. */
  readonly strictProblem: string | undefined;
}

/** Reads the first document of the text. Throws YamlSyntaxError. */
export function parseYaml(text: string): ParsedYaml {
  const [document] = [
    ...parseAllDocuments(text, {
      uniqueKeys: false,
      version: "1.1",
      // A number would round large ones.
      intAsBigInt: true,
      logLevel: "error",
      customTags: withoutTimes,
    }),
  ];
  if (document === undefined) return { value: null, strictProblem: undefined };
  const [error] = document.errors;
  if (error !== undefined) throw new YamlSyntaxError(yamlProblem(error, text, document), { cause: error });
  const repeated: string[] = [];
  findRepeatedKeys(document.contents, text, repeated);
  const strictProblem = repeated.length === 0 ? undefined : [strictTitle, ...repeated].join("\n  ");
  try {
    return { value: document.toJS({ maxAliasCount: 100, reviver: withNumbers }) ?? null, strictProblem };
  } catch (cause) {
    // Too many aliases, or unknown ones: the text is wrong, not the parser.
    const why = cause instanceof Error ? cause.message : "cannot be read";
    const [, anchor] = /^Unresolved alias .*: (\S+)$/.exec(why) ?? [];
    const problem = anchor === undefined ? why : `unknown anchor '${anchor}' referenced`;
    throw new YamlSyntaxError(`yaml: ${problem}`, { cause });
  }
}

/** Only an integer that a number would round stays a bigint. */
function withNumbers(_key: unknown, value: unknown): unknown {
  return typeof value === "bigint" && Number.isSafeInteger(Number(value)) ? Number(value) : value;
}

const strictTitle = "yaml: unmarshal errors:";

/** The warnings for a strict problem, one for each duplicate key; strict validation reports them as one error. */
export function yamlWarnings(problem: string): readonly string[] {
  return problem.startsWith(strictTitle)
    ? problem
        .split("\n")
        .slice(1)
        .map((line) => line.trim())
    : [problem];
}

/** For the server, dates and times are strings, also in the form of base 60 numbers. */
function withoutTimes(tags: Tags): Tags {
  return tags.filter(
    (tag) =>
      typeof tag === "string" ||
      (tag.tag !== "tag:yaml.org,2002:timestamp" && !("format" in tag && tag.format === "TIME")),
  );
}

function findRepeatedKeys(node: unknown, text: string, found: string[]): void {
  if (isSeq(node)) for (const item of node.items) findRepeatedKeys(item, text, found);
  if (!isMap(node)) return;
  const seen = new Set<unknown>();
  for (const { key, value } of node.items) {
    findRepeatedKeys(value, text, found);
    const name = isScalar(key) ? key.value : key;
    if (seen.has(name)) {
      const line = text.slice(0, offsetOf(value) ?? offsetOf(key)).split("\n").length;
      const shown = typeof name === "string" ? goQuote(name) : String(name);
      found.push(`line ${line}: key ${shown} already set in map`);
    }
    seen.add(name);
  }
}

function offsetOf(node: unknown): number | undefined {
  return isScalar(node) || isMap(node) || isSeq(node) ? node.range?.[0] : undefined;
}
