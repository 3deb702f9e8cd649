import type { z } from "zod";
import type { SchemaProblem } from "../errors.ts";

/** No sane resource is nested deeper; a schema that makes itself anew whenever it is read is. */
const deepestNesting = 100;

/**
 * Where in a resource the generator is, and where it reports what it finds there. Every position in one resource reports
 * to the same list.
 */
export class SchemaPosition {
  readonly path: string;
  readonly #problems: SchemaProblem[];
  readonly #open: readonly z.core.$ZodType[];

  private constructor(path: string, problems: SchemaProblem[], open: readonly z.core.$ZodType[]) {
    this.path = path;
    this.#problems = problems;
    this.#open = open;
  }

  /** The whole object; its problems go into the list. */
  static root(problems: SchemaProblem[]): SchemaPosition {
    return new SchemaPosition("", problems, []);
  }

  get problemCount(): number {
    return this.#problems.length;
  }

  report(problem: string, remedy: string): void {
    this.#problems.push({ path: this.path === "" ? "(root)" : this.path, problem, remedy });
  }

  field(name: string): SchemaPosition {
    const isPlain = /^[A-Za-z_$][\w$-]*$/.test(name);
    const step = isPlain ? `.${name}` : `[${JSON.stringify(name)}]`;
    return this.#at(this.path === "" && isPlain ? name : this.path + step);
  }

  items(): SchemaPosition {
    return this.#at(`${this.path}[]`);
  }

  /** The values of a map, whatever their keys. */
  values(): SchemaPosition {
    return this.#at(`${this.path}.*`);
  }

  /** The same position inside a schema; undefined if that schema is being read already, so that it has no end. */
  inside(schema: z.core.$ZodType): SchemaPosition | undefined {
    if (this.#open.includes(schema) || this.#open.length >= deepestNesting) return undefined;
    return new SchemaPosition(this.path, this.#problems, [...this.#open, schema]);
  }

  #at(path: string): SchemaPosition {
    return new SchemaPosition(path, this.#problems, this.#open);
  }
}
