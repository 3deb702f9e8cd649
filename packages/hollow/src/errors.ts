import { KeelsonError } from "keelson";

/** A node of that name exists and is not hollow. To take it over would be to take over its pods. */
export class NodeTakenError extends KeelsonError {
  static override readonly brand: string = "@keelson/hollow.NodeTakenError";
  readonly code = "NODE_TAKEN";
  readonly node: string;

  constructor(node: string) {
    super(`register node ${node}: it exists and is not a hollow node; choose another name`);
    this.node = node;
  }
}

/** There is no hollow node of that name. */
export class UnknownNodeError extends KeelsonError {
  static override readonly brand: string = "@keelson/hollow.UnknownNodeError";
  readonly code = "UNKNOWN_NODE";
  readonly node: string;

  constructor(node: string, names: readonly string[]) {
    super(`set node ${node}: there is no such hollow node here; there are ${names.join(", ") || "none"}`);
    this.node = node;
  }
}

/** The options of the nodes, or their times, are invalid. Lists all mistakes. */
export class InvalidNodesError extends KeelsonError {
  static override readonly brand: string = "@keelson/hollow.InvalidNodesError";
  readonly code = "INVALID_NODES";
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(`start hollow nodes: ${problems.join("; ")}`);
    this.problems = problems;
  }
}
