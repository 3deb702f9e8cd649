import { type ApiUse, dnsLabelProblem, type GenericObject } from "@keelson/core";
import type { AnyDefinedResource } from "@keelson/schema";
import { InvalidManagerError } from "./errors.ts";
import type { Manager } from "./manager.ts";

/** How far an object is, for those who watch it. */
export interface SampleProgress {
  /** In a word, such as `Ready`. */
  readonly phase: string;
  /** How many of how many, such as `2/3`, if there is something to count. */
  readonly ready?: string;
  /** Whether it is where it is wanted, and will stay there. */
  readonly isSettled: boolean;
  /** Why it will not get there, if that is known. */
  readonly problem?: string;
}

/** What a newcomer tries an operator with: `keelson dev` applies it and shows how it gets on. */
export interface OperatorSamples {
  /** YAML files, applied in this order. */
  readonly files: readonly URL[];
  /** Is asked of objects of the operator's own kinds. */
  progress(object: GenericObject): SampleProgress;
}

/** An operator as a value: what it adds to a manager, and what has to be there for it. */
export interface Operator {
  /** In logs, flags and manifests; a DNS label, such as `webapp`. */
  readonly name: string;
  /** Its own kinds; their CustomResourceDefinitions are made of them. */
  readonly resources: readonly AnyDefinedResource[];
  /** What it uses of the API beyond what its controllers watch: its RBAC rules are made of both. */
  readonly uses: readonly ApiUse[];
  readonly samples: OperatorSamples | undefined;
  /** Adds its controllers, webhooks and indexes. */
  setup(manager: Manager): void | Promise<void>;
}

export interface OperatorDefinition {
  readonly name: string;
  /** Default: none. */
  readonly resources?: readonly AnyDefinedResource[];
  /** Default: none. */
  readonly uses?: readonly ApiUse[];
  /** Default: none. */
  readonly samples?: OperatorSamples;
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
  const { name, resources = [], uses = [], samples, setup } = definition;
  const problem = dnsLabelProblem(name);
  if (problem !== undefined)
    throw new InvalidManagerError(`define operator ${JSON.stringify(name)}`, `its name ${problem}`);
  return {
    name,
    resources,
    uses,
    samples,
    setup: (manager) => {
      if (uses.length > 0) manager.declareUses(`operator ${name}`, uses);
      return setup(manager);
    },
  };
}
