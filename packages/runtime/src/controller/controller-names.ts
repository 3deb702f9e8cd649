import { DuplicateControllerNameError } from "./errors.ts";

/** The names of the controllers of a process, each given once [CT15]. */
export class ControllerNames {
  readonly #taken: Set<string> = new Set();

  /** Throws a DuplicateControllerNameError if another one has it. */
  take(name: string): void {
    if (this.#taken.has(name)) throw new DuplicateControllerNameError(name);
    this.#taken.add(name);
  }

  release(name: string): void {
    this.#taken.delete(name);
  }
}
