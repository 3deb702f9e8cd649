/** The line for a command line that commander does not understand, in the form of all errors of this command. */
export function usageErrorLine(text: string): string {
  const problem = text
    .trim()
    .replace(/^error: /, "")
    .replace(/\.$/, "")
    .replace(/\n\(Did you mean (.*)\?\)$/, "; did you mean $1?");
  const end = problem.endsWith("?") ? " See" : "; see";
  return `keelson: ${problem}${end} --help\n`;
}

/** `help run` is `run --help`, which the command itself handles. A command that does not exist is refused as without `help`. */
export function withHelpLast(args: readonly string[], commands: readonly string[]): readonly string[] {
  const [first, name] = args;
  if (first !== "help" || name === undefined) return args;
  return commands.includes(name) ? [name, "--help"] : [name];
}
