/** Words that are what they are wherever they stand. */
export const keywords: ReadonlySet<string> = new Set(["in", "true", "false", "null"]);

/** Words that cannot be names of variables. */
export const reservedWords: ReadonlySet<string> = new Set([
  ...keywords,
  ...["as", "break", "const", "continue", "else", "for", "function", "if", "import", "let", "loop"],
  ...["package", "namespace", "return", "var", "void", "while"],
]);
