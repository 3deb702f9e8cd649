import { KeelsonError } from "keelson";
import { toError } from "keelson/low-level";

/** The base of errors of loading operators. */
export abstract class OperatorError extends KeelsonError {
  static override readonly brand: string = "@keelson/cli.OperatorError";
}

/** The name is neither that of an operator that comes with the command nor that of a module. */
export class UnknownOperatorError extends OperatorError {
  static override readonly brand: string = "@keelson/cli.UnknownOperatorError";
  readonly code = "UNKNOWN_OPERATOR";
  readonly operator: string;

  constructor(operator: string, bundled: readonly string[], meant?: string) {
    const isNone = bundled.length === 0;
    const known = isNone ? "no operator comes with this command" : `there are ${bundled.join(", ")}`;
    const guess = meant === undefined ? "" : `; did you mean ${meant}?`;
    super(
      `find operator ${operator}: ${known}, and no package of this name is installed${guess}; ` +
        `name ${isNone ? "" : "one of these, "}a package, or a path such as ./my-operator.ts`,
    );
    this.operator = operator;
  }
}

/** A path at which there is no file. */
export class OperatorFileNotFoundError extends OperatorError {
  static override readonly brand: string = "@keelson/cli.OperatorFileNotFoundError";
  readonly code = "OPERATOR_FILE_NOT_FOUND";
  readonly path: string;

  constructor(path: string) {
    super(`load operator ${path}: there is no such file; paths begin at the working folder`);
    this.path = path;
  }
}

/** A module was found and could not be loaded. */
export class OperatorModuleError extends OperatorError {
  static override readonly brand: string = "@keelson/cli.OperatorModuleError";
  readonly code = "OPERATOR_MODULE";

  constructor(operator: string, options: { readonly cause: unknown }) {
    super(`load operator ${operator}: its module failed: ${failureInLine(options.cause)}`, options);
  }
}

/** A module that exports no operator. */
export class NoOperatorExportedError extends OperatorError {
  static override readonly brand: string = "@keelson/cli.NoOperatorExportedError";
  readonly code = "NO_OPERATOR_EXPORTED";

  constructor(operator: string, names: readonly string[]) {
    const found =
      names.length === 0 ? "it exports nothing" : `none of its exports is one: ${names.join(", ")}`;
    super(`load operator ${operator}: ${found}; export what defineOperator gives`);
  }
}

/** Two operators that would share a name in logs and metrics. */
export class DuplicateOperatorError extends OperatorError {
  static override readonly brand: string = "@keelson/cli.DuplicateOperatorError";
  readonly code = "DUPLICATE_OPERATOR";

  constructor(name: string, origins: readonly string[]) {
    super(
      `load operators: ${origins.join(" and ")} both hold one called ${name}; rename one or leave one out`,
    );
  }
}

/** One line for what a module threw: its message, and the place in the module. */
export function failureInLine(caught: unknown): string {
  const { name, message } = toError(caught);
  const text = `${name}: ${message}`.split("\n", 1)[0] ?? "";
  const place = caught instanceof Error ? placeIn(caught.stack ?? "") : undefined;
  return place === undefined ? text : `${text} (at ${place})`;
}

/** The first place in a stack: in its frames, or before them if the module cannot be parsed. */
function placeIn(stack: string): string | undefined {
  // A place within Node, such as node:internal/modules/esm/resolve:274:11, is not the author's.
  const [place] = /(?<![\w.-])(file:\/\/)?\/[^\s():]+:\d+(:\d+)?/.exec(stack) ?? [];
  return place;
}
