import { type ApiUse, dnsLabelProblem } from "@keelson/core";
import type { AnyDefinedResource } from "@keelson/schema";
import { InvalidManagerError } from "./errors.ts";
import type { Manager } from "./manager.ts";

/** An operator as a value: what it adds to a manager, and what has to be there for it. */
export interface Operator {
  /** In logs, flags and manifests; a DNS label, such as `webapp`. */
  readonly name: string;
  /** Its own kinds; their CustomResourceDefinitions are made of them. */
  readonly resources: readonly AnyDefinedResource[];
  /** What it uses of the API beyond what its controllers watch: its RBAC rules are made of both. */
  readonly uses: readonly ApiUse[];
  /** Adds its controllers, webhooks and indexes. */
  setup(manager: Manager): void | Promise<void>;
}

export interface OperatorDefinition {
  readonly name: string;
  /** Default: none. */
  readonly resources?: readonly AnyDefinedResource[];
  /** Default: none. */
  readonly uses?: readonly ApiUse[];
  readonly setup: (manager: Manager) => void | Promise<void>;
}

/**
 * Describes an operator, so that `keelson run` can run it, alone or with others in one process:
 *
 *     export const webapp = defineOperator({
 *       name: "webapp",
 *       resources: [WebApp],
 *       uses: webappUses,
 *       setup: (manager) => void manager.add(webappController()),
 *     });
 *
 * What it uses is declared to the manager before its `setup` is called.
 */
export function defineOperator(definition: OperatorDefinition): Operator {
  const { name, resources = [], uses = [], setup } = definition;
  const problem = dnsLabelProblem(name);
  if (problem !== undefined)
    throw new InvalidManagerError(`define operator ${JSON.stringify(name)}`, `its name ${problem}`);
  return {
    name,
    resources,
    uses,
    setup: (manager) => {
      if (uses.length > 0) manager.declareUses(`operator ${name}`, uses);
      return setup(manager);
    },
  };
}
