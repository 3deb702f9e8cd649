import { KeelsonError } from "keelson";
import { parseDocument, stringify } from "yaml";

/** A text that should be YAML is not, or is too much to read. */
export class NotYamlError extends KeelsonError {
  static override readonly brand: string = "@keelson/azimuth-capi.NotYamlError";
  readonly code = "NOT_YAML";

  constructor(what: string, problem: string) {
    super(`read ${what}: ${problem}`);
  }
}

/**
 * The text of some YAML documents. Equal documents have equal texts: fields are sorted, and long lines are not folded. It is
 * a part of Helm values, and a text that changes by itself would make a new revision at every reconcile.
 *
 * Its readers are programs in Python and Go that know YAML 1.1, so that a text such as `yes` must be quoted, which is no
 * boolean in YAML 1.2.
 */
export function yamlText(...documents: readonly object[]): string {
  return documents
    .map((document) =>
      stringify(document, {
        ...{ sortMapEntries: true, lineWidth: 0, compat: "yaml-1.1" },
        // An object that occurs twice is written twice: not every reader follows references.
        aliasDuplicateObjects: false,
      }),
    )
    .join("---\n");
}

/** How scalars are read: all as texts, or as what YAML 1.1 takes them for, as kubectl does. */
export type Scalars = "texts" | "typed";

/**
 * The value of the first document of a YAML text. Throws a NotYamlError, which says where the mistake is and never quotes the
 * text: it may hold a password.
 */
export function parseYaml(text: string, what: string, scalars: Scalars): unknown {
  const document = parseDocument(text, {
    ...{ version: "1.1", uniqueKeys: false, prettyErrors: false, logLevel: "silent" },
    ...(scalars === "texts" && { schema: "failsafe" }),
  });
  const problem = document.errors.find(({ code }) => code !== "MULTIPLE_DOCS");
  if (problem !== undefined)
    throw new NotYamlError(what, `it is not YAML: ${problem.code.toLowerCase().replaceAll("_", " ")}`);
  try {
    return document.toJS();
  } catch {
    // biome-ignore lint/style/useErrorCause: the library's message quotes the text
    throw new NotYamlError(what, "it refers to an anchor that it does not define, or too often");
  }
}
