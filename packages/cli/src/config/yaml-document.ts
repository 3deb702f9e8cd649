import {
  type Document,
  type DocumentOptions,
  LineCounter,
  type ParsedNode,
  type ParseOptions,
  parseAllDocuments,
  type SchemaOptions,
} from "yaml";

/** The one document of a YAML text. */
export interface YamlDocument {
  /** Undefined if the text holds none, or is wrong. */
  readonly document: Document.Parsed<ParsedNode> | undefined;
  /** Such as `keelson.yaml:3`. */
  readonly placeOf: (offset: number) => string;
  /** What keeps it from being read, a line for each. */
  readonly problems: readonly string[];
}

/** Parses a YAML text; `path` is for messages. */
export function parseYaml(
  text: string,
  path: string,
  options: DocumentOptions & ParseOptions & SchemaOptions = {},
): YamlDocument {
  const lines = new LineCounter();
  const placeOf = (offset: number): string => `${path}:${lines.linePos(offset).line}`;
  const documents = parseAllDocuments(text, { ...options, lineCounter: lines, prettyErrors: false });
  const [document, second] = Array.isArray(documents) ? documents : [];
  if (document === undefined) return { document, placeOf, problems: [] };
  const problems = document.errors.map(
    ({ pos, message }) => `${placeOf(pos[0])}: is not YAML: ${firstLine(message)}; correct it`,
  );
  if (second !== undefined)
    problems.push(`${placeOf(second.range[0])}: a second document begins here; a file holds one`);
  return { document: problems.length === 0 ? document : undefined, placeOf, problems };
}

function firstLine(message: string): string {
  return message.split("\n", 1)[0] ?? message;
}
