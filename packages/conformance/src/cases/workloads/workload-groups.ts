import type { CaseGroup } from "../../conformance-case.ts";
import { accountCases } from "./accounts.ts";
import { budgetCases } from "./budgets.ts";
import { daemonSetCases } from "./daemon-sets.ts";
import { deploymentCases } from "./deployments.ts";
import { garbageCases } from "./garbage.ts";
import { jobCases } from "./jobs.ts";
import { namespaceCases } from "./namespaces.ts";
import { replicaSetCases } from "./replica-sets.ts";
import { schedulingCases } from "./scheduling.ts";
import { serviceCases } from "./services.ts";
import { statefulSetCases } from "./stateful-sets.ts";

/** What the controllers make of objects, once they have settled. */
export const workloadCaseGroups: readonly CaseGroup[] = [
  deploymentCases,
  replicaSetCases,
  statefulSetCases,
  daemonSetCases,
  jobCases,
  serviceCases,
  garbageCases,
  namespaceCases,
  schedulingCases,
  budgetCases,
  accountCases,
];
