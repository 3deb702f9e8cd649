/** Words that CEL keeps for itself; a field of that name is written `__in__`. */
const reserved: ReadonlySet<string> = new Set([
  ...["true", "false", "null", "in", "as", "break", "const", "continue", "else", "for", "function", "if"],
  ...["import", "let", "loop", "package", "namespace", "return", "var", "void", "while"],
]);

const escapes: Readonly<Record<string, string>> = {
  __: "__underscores__",
  ".": "__dot__",
  "-": "__dash__",
  "/": "__slash__",
};

/** How a CEL rule names a field of an object; undefined for a field that CEL cannot reach. */
export function celField(name: string): string | undefined {
  if (reserved.has(name)) return `__${name}__`;
  if (!/^[A-Za-z_./-][\w./-]*$/.test(name)) return undefined;
  return name.replaceAll(/__|[./-]/g, (found) => escapes[found] ?? found);
}
