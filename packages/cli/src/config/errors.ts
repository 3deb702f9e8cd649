import { KeelsonError } from "keelson";

/** Everything that is wrong with flags, environment and file, a line for each. */
export class ConfigurationError extends KeelsonError {
  static override readonly brand: string = "@keelson/cli.ConfigurationError";
  readonly code = "INVALID_CONFIGURATION";
  readonly problems: readonly string[];

  constructor(command: string, problems: readonly string[]) {
    const lines =
      problems.length === 1 ? ` ${problems[0]}` : problems.map((problem) => `\n  ${problem}`).join("");
    super(`configure ${command}:${lines}`);
    this.problems = problems;
  }
}
