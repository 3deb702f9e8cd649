import {
  type Condition,
  controller,
  defineOperator,
  type KubeObject,
  type Operator,
  type Resource,
  setCondition,
} from "keelson";
import type { NamespacedMeta } from "keelson/low-level";
import type { Knobs, Pace } from "../knobs.ts";

export interface Kustomization extends KubeObject {
  readonly metadata: NamespacedMeta;
  readonly status?: { readonly conditions?: readonly Condition[] };
}

export const Kustomization: Resource<Kustomization> = {
  group: "kustomize.toolkit.fluxcd.io",
  version: "v1",
  kind: "Kustomization",
  plural: "kustomizations",
  scope: "Namespaced",
};

export interface FluxKnobs {
  /** How long a Kustomization is reconciled. */
  readonly reconcileMs: number;
  /** Why Kustomizations are not ready; undefined if they are. */
  readonly problem: string | undefined;
}

export const fluxDefaults: FluxKnobs = { reconcileMs: 40, problem: undefined };

/** The controller of Flux that applies Kustomizations, as far as their conditions. */
export function fluxOperator(knobs: Knobs<FluxKnobs>, pace: Pace): Operator {
  const kustomizations = controller(Kustomization)
    .source(knobs.source(Kustomization))
    .reconcile(async ({ object, clock, setStatus }) => {
      const { reconcileMs, problem } = knobs.in(object.metadata.namespace);
      const { generation = 1 } = object.metadata;
      const show = (type: string, reason: string, isTrue: boolean): Promise<boolean> => {
        const status = isTrue ? ("True" as const) : ("False" as const);
        const condition = { type, status, reason, message: "", observedGeneration: generation };
        // What Flux knows is in one condition: that it reconciles, or how that ended.
        const before = (object.status?.conditions ?? []).filter((each) => each.type === type);
        return setStatus({ conditions: setCondition(before, condition, clock.now()) });
      };
      const wait = pace.wait(object, `generation ${generation}`, reconcileMs);
      if (wait !== undefined) {
        await show("Reconciling", "Progressing", true);
        return wait;
      }
      await show("Ready", problem ?? "ReconciliationSucceeded", problem === undefined);
      return undefined;
    });
  return defineOperator({ name: "flux", controllers: [kustomizations] });
}
