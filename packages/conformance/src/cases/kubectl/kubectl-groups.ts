import type { CaseGroup } from "../../conformance-case.ts";
import { accessCases } from "./access.ts";
import { clientApplyCases } from "./apply.ts";
import { createCases } from "./create.ts";
import { deleteCases } from "./delete.ts";
import { describeCases } from "./describe.ts";
import { discoveryCases } from "./discovery.ts";
import { editCases } from "./edit.ts";
import { explainCases } from "./explain.ts";
import { getCases } from "./get.ts";
import { jobCommandCases } from "./jobs.ts";
import { labelCases } from "./labels.ts";
import { nodeCases } from "./nodes.ts";
import { patchCases } from "./patch.ts";
import { rolloutCases } from "./rollout.ts";
import { scaleCases } from "./scale.ts";
import { serverSideApplyCases } from "./server-side-apply.ts";
import { setCases } from "./set.ts";
import { waitCases } from "./wait.ts";

/** Command lines of the pinned kubectl. */
export const kubectlCaseGroups: readonly CaseGroup[] = [
  clientApplyCases,
  serverSideApplyCases,
  createCases,
  getCases,
  describeCases,
  explainCases,
  editCases,
  labelCases,
  scaleCases,
  setCases,
  rolloutCases,
  waitCases,
  deleteCases,
  patchCases,
  nodeCases,
  accessCases,
  jobCommandCases,
  discoveryCases,
];
