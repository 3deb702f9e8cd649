import { KeelsonError } from "@keelson/core";

/** One thing about a resource that Kubernetes could not take. */
export interface SchemaProblem {
  /** Where: a field such as `spec.ports[].name`, or a part of the definition such as `printerColumns[0].jsonPath`. */
  readonly path: string;
  readonly problem: string;
  /** What to do about it. */
  readonly remedy: string;
}

/** A resource cannot be said as a CustomResourceDefinition. It names every problem of the resource, not only the first. */
export class SchemaError extends KeelsonError {
  static override readonly brand: string = "@keelson/schema.SchemaError";
  readonly code = "SCHEMA_INVALID";
  /** The kind and its group and version: `WebApp in example.com/v1`. */
  readonly resource: string;
  readonly problems: readonly SchemaProblem[];

  constructor(resource: string, problems: readonly SchemaProblem[]) {
    const lines = problems.map(({ path, problem, remedy }) => `\n  - ${path}: ${problem}; ${remedy}`);
    super(`define ${resource}: Kubernetes could not take it${lines.join("")}`);
    this.resource = resource;
    this.problems = problems;
  }
}
