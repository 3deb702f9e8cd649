import { type CaseGroup, conforms } from "../../conformance-case.ts";
import type { Stage } from "../../stage.ts";
import { hasField, podsAre, prepared, rolledOut } from "../kubectl/settling.ts";
import { type Fields, manifest } from "../manifests.ts";
import { show, showConditions, workloadOf } from "./pods-of.ts";

const path = "policy/v1:poddisruptionbudgets/safe";
const budget = (spec: Fields): Fields =>
  manifest("policy/v1", "PodDisruptionBudget", "safe", {
    spec: { selector: { matchLabels: { app: "web" } }, ...spec },
  });
const status = [
  "status.currentHealthy",
  "status.desiredHealthy",
  "status.disruptionsAllowed",
  "status.expectedPods",
  "status.observedGeneration",
];

async function settled(stage: Stage, replicas: number, spec: Fields): Promise<void> {
  await prepared("apps/v1:deployments", workloadOf("Deployment", "web", { replicas }))(stage);
  await rolledOut("web", replicas)(stage);
  await prepared("policy/v1:poddisruptionbudgets", budget(spec))(stage);
  await hasField(path, "status.currentHealthy", replicas)(stage);
}

const rows: readonly (readonly [what: string, replicas: number, spec: Fields])[] = [
  ["a least number of pods", 3, { minAvailable: 2 }],
  ["a least share of pods, rounded up", 3, { minAvailable: "50%" }],
  ["a greatest number that is away", 3, { maxUnavailable: 1 }],
  ["a greatest share that is away, rounded up", 3, { maxUnavailable: "34%" }],
  ["more pods than there are", 2, { minAvailable: 5 }],
];

export const budgetCases: CaseGroup = {
  title: "disruption budgets",
  cases: [
    ...rows.map(([what, replicas, spec]) =>
      conforms(`a budget of ${what}`, async (stage) => {
        await settled(stage, replicas, spec);
        await show(stage, path, status);
        await showConditions(stage, path);
        await stage.kubectl("get pdb");
      }),
    ),
    conforms("a budget follows the number of pods", async (stage) => {
      await settled(stage, 1, { minAvailable: 1 });
      await stage.kubectl("scale deployment web --replicas=2");
      await rolledOut("web", 2)(stage);
      await hasField(path, "status.disruptionsAllowed", 1)(stage);
      await show(stage, path, status);
      await showConditions(stage, path);
    }),
    conforms("a budget of no pods", async (stage) => {
      await prepared("policy/v1:poddisruptionbudgets", budget({ minAvailable: 1 }))(stage);
      await hasField(path, "status.observedGeneration", 1)(stage);
      await podsAre(0)(stage);
      await show(stage, path, status);
      await showConditions(stage, path);
    }),
  ],
};
