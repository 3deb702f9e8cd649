import { type Document, isMap, isSeq, type YAMLError } from "yaml";

/** The message of Go's YAML parser for a syntax error. */
export function yamlProblem(
  error: YAMLError,
  text: string,
  { contents }: Pick<Document, "contents">,
): string {
  const { code, message } = error;
  const [start, end] = error.pos;
  switch (code) {
    case "BAD_INDENT":
    case "MISSING_CHAR":
      if (/closing .*quote/.test(message)) return scanned("found unexpected end of stream", text, start);
      if (/end with a [}\]]/.test(message)) return parsed(openFlowProblem(message, text, start), text, start);
      if (code === "BAD_INDENT") return parsed("did not find expected key", text, start);
      return scanned(noColon, text, end, 1);
    case "MULTILINE_IMPLICIT_KEY":
      return scanned(isLaterKey(text, start) ? noColon : noMapping, text, end);
    case "BLOCK_AS_IMPLICIT_KEY":
      return scanned(noMapping, text, start);
    case "TAB_AS_INDENT":
      return scanned(isWithinPlainText(text, start) ? badTab : badStart, text, start);
    case "BAD_SCALAR_START":
      return scanned(badStart, text, start);
    case "UNEXPECTED_TOKEN":
      return parsed(`did not find expected ${nextOf(contents)}`, text, start);
    default:
      return scanned(noColon, text, start);
  }
}

const noColon = "could not find expected ':'";
const noMapping = "mapping values are not allowed in this context";
const badTab = "found a tab character that violates indentation";
const badStart = "found character that cannot start any token";

/** Errors of Go's scanner have a line number, except on the first line. */
function scanned(problem: string, text: string, offset: number, linesLater = 0): string {
  const line = linesBefore(text, offset) + linesLater;
  return line === 0 ? `yaml: ${problem}` : `yaml: line ${line + 1}: ${problem}`;
}

/** Errors of Go's parser count lines from zero, and count the end of the text as a line. */
function parsed(problem: string, text: string, offset: number): string {
  const isOpenEnd = offset >= text.length && !text.endsWith("\n");
  const line = linesBefore(text, offset) + (isOpenEnd ? 1 : 0);
  return line === 0 ? `yaml: ${problem}` : `yaml: line ${line}: ${problem}`;
}

function linesBefore(text: string, offset: number): number {
  return text.slice(0, offset).split("\n").length - 1;
}

function openFlowProblem(message: string, text: string, offset: number): string {
  if (/[[{,:]\s*$/.test(text.slice(0, offset))) return "did not find expected node content";
  return `did not find expected ${message.includes("}") ? "',' or '}'" : "',' or ']'"}`;
}

/** Whether the key at the offset is a later key of its map, where only a key can follow. */
function isLaterKey(text: string, offset: number): boolean {
  const lines = text.slice(0, offset).split("\n");
  const column = lines.pop()?.length ?? 0;
  const before = lines.findLast((line) => line.trim() !== "" && indentOf(line) <= column);
  return before !== undefined && indentOf(before) === column;
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}

/** Whether a plain scalar continues at the offset. */
function isWithinPlainText(text: string, offset: number): boolean {
  return /[^:\-"'\]}|>]$/.test(text.slice(0, offset).trimEnd());
}

/** The token that Go's parser expects next in the outermost collection. */
function nextOf(contents: unknown): string {
  if (isSeq(contents) && contents.flow !== true) return "'-' indicator";
  return isMap(contents) && contents.flow !== true ? "key" : "<document start>";
}
