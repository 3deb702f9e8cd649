/** Words that CEL keeps for itself: a property of that name is written between double underscores. */
const keywords: ReadonlySet<string> = new Set([
  "true",
  "false",
  "null",
  "in",
  "as",
  "break",
  "const",
  "continue",
  "else",
  "for",
  "function",
  "if",
  "import",
  "let",
  "loop",
  "package",
  "namespace",
  "return",
  "var",
  "void",
  "while",
]);

const escapes: Readonly<Record<string, string>> = {
  __: "__underscores__",
  ".": "__dot__",
  "-": "__dash__",
  "/": "__slash__",
};

/** How expressions write the name of a property; undefined if they have no way to. */
export function escapeName(name: string): string | undefined {
  if (keywords.has(name)) return `__${name}__`;
  if (!/^[A-Za-z_][A-Za-z0-9_./-]*$/.test(name)) return undefined;
  return name.replaceAll(/__|[./-]/g, (part) => escapes[part] ?? part);
}
