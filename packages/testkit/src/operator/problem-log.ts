import { isRecord, toError } from "@keelson/core";
import { type Logger, systemClock } from "keelson";
import { type LogFields, prettyLogger } from "keelson/telemetry";

/** A warning or an error that an operator logged. */
export interface OperatorProblem {
  /** Such as `reconcile failed`. */
  readonly message: string;
  /** The key that was reconciled, such as `shop/web`; undefined if the line names none. */
  readonly key: string | undefined;
  readonly error: Error | undefined;
}

/** Shows warnings and errors where the runner of the tests shows what a test prints. */
export function warningLogger(): Logger {
  // biome-ignore lint/suspicious/noConsole: runners of tests assign what is written to the console to its test
  return prettyLogger({ level: "warn", clock: systemClock, write: (line) => console.warn(line) });
}

/** Enough to see why nothing settles; a failing key alone repeats the same problem without end. */
const mostProblems = 5;

/** Keeps the last warnings and errors of an operator, each text once, and passes every line on. */
export class ProblemLog implements Logger {
  readonly #inner: Logger;
  readonly #isMuted: () => boolean;
  readonly #fields: LogFields;
  readonly #problems: Map<string, OperatorProblem>;

  /** While `isMuted`, lines are neither kept nor passed on. */
  constructor(
    inner: Logger,
    isMuted: () => boolean,
    fields: LogFields = {},
    problems: Map<string, OperatorProblem> = new Map(),
  ) {
    this.#inner = inner;
    this.#isMuted = isMuted;
    this.#fields = fields;
    this.#problems = problems;
  }

  /** The latest one last. */
  get problems(): readonly OperatorProblem[] {
    return [...this.#problems.values()];
  }

  debug(message: string, fields?: LogFields): void {
    if (!this.#isMuted()) this.#inner.debug(message, fields);
  }

  info(message: string, fields?: LogFields): void {
    if (!this.#isMuted()) this.#inner.info(message, fields);
  }

  warn(message: string, fields?: LogFields): void {
    if (this.#isMuted()) return;
    this.#keep(message, fields);
    this.#inner.warn(message, fields);
  }

  error(message: string, fields?: LogFields): void {
    if (this.#isMuted()) return;
    this.#keep(message, fields);
    this.#inner.error(message, fields);
  }

  with(fields: LogFields): Logger {
    const all = { ...this.#fields, ...fields };
    return new ProblemLog(this.#inner.with(fields), this.#isMuted, all, this.#problems);
  }

  #keep(message: string, fields: LogFields = {}): void {
    const { error, ...rest } = { ...this.#fields, ...fields };
    const problem = {
      message,
      key: keyText(rest),
      error: error === undefined ? undefined : toError(error),
    };
    const text = formatProblem(problem);
    // The latest is the last entry of the map.
    this.#problems.delete(text);
    this.#problems.set(text, problem);
    const [oldest] = this.#problems.keys();
    if (this.#problems.size > mostProblems && oldest !== undefined) this.#problems.delete(oldest);
  }
}

/** Such as `shop/web: reconcile failed: Error: no route to host`. */
export function formatProblem({ message, key, error }: OperatorProblem): string {
  return [key, message, error].filter((part) => part !== undefined).join(": ");
}

function keyText(fields: LogFields): string | undefined {
  const { namespace, name, key } = fields;
  if (typeof name === "string")
    return typeof namespace === "string" && namespace !== "" ? `${namespace}/${name}` : name;
  return key === undefined || isRecord(key) ? undefined : String(key);
}
