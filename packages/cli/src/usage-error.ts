/** What commander says of a command line that it does not understand, as a line like all our errors. */
export function usageErrorLine(text: string): string {
  const said = text
    .trim()
    .replace(/^error: /, "")
    .replace(/\.$/, "")
    .replace(/\n\(Did you mean (.*)\?\)$/, "; did you mean $1?");
  const end = said.endsWith("?") ? " See" : "; see";
  return `keelson: ${said}${end} --help\n`;
}
