import type { CaseGroup } from "../conformance-case.ts";
import { accessCases } from "./access.ts";
import { admissionCases } from "./admission.ts";
import { applyCases } from "./apply.ts";
import { applyListCases } from "./apply-lists.ts";
import { badInputCases } from "./bad-input.ts";
import { certificateCases } from "./certificates.ts";
import { clusterKindCases } from "./cluster-kinds.ts";
import { configCases } from "./config.ts";
import { controlPlaneCases } from "./control-plane.ts";
import { customDefinitionCases } from "./custom-definitions.ts";
import { customObjectCases } from "./custom-objects.ts";
import { customReadCases } from "./custom-reads.ts";
import { customRuleCases } from "./custom-rules.ts";
import { customValidationCases } from "./custom-validation.ts";
import { deepObjectCases } from "./deep-objects.ts";
import { defaultCases } from "./defaults.ts";
import { deletionCases } from "./deletion.ts";
import { discoveryCases } from "./discovery.ts";
import { invalidDefinitionCases } from "./invalid-definitions.ts";
import { jobCases } from "./jobs.ts";
import { kindLifecycleCases } from "./kind-lifecycles.ts";
import { kubectlCaseGroups } from "./kubectl/kubectl-groups.ts";
import { largeIntegerCases } from "./large-integers.ts";
import { listCases } from "./lists.ts";
import { metadataCases } from "./metadata.ts";
import { nodeAccessCases } from "./node-access.ts";
import { patchCases } from "./patches.ts";
import { pathCases } from "./paths.ts";
import { podRuleCases } from "./pod-rules.ts";
import { podCases } from "./pods.ts";
import { quotaCases } from "./quotas.ts";
import { representationCases } from "./representations.ts";
import { reviewCases } from "./reviews.ts";
import { ruleLanguageCases } from "./rule-language.ts";
import { selectorCases } from "./selectors.ts";
import { serviceCases } from "./services.ts";
import { singleMistakeCases } from "./single-mistakes.ts";
import { updateCases } from "./updates.ts";
import { validationLevelCases } from "./validation-levels.ts";
import { volumeCases } from "./volumes.ts";
import { warningCases } from "./warnings.ts";
import { watchCases } from "./watches.ts";
import { webhookCallCases } from "./webhook-calls.ts";
import { workloadCaseGroups } from "./workloads/workload-groups.ts";
import { workloadCases } from "./workloads.ts";

/** Requests and watches. */
export const apiCaseGroups: readonly CaseGroup[] = [
  pathCases,
  discoveryCases,
  metadataCases,
  updateCases,
  patchCases,
  applyCases,
  applyListCases,
  validationLevelCases,
  deletionCases,
  largeIntegerCases,
  listCases,
  selectorCases,
  representationCases,
  watchCases,
  deepObjectCases,
  defaultCases,
  clusterKindCases,
  kindLifecycleCases,
  podCases,
  podRuleCases,
  volumeCases,
  warningCases,
  workloadCases,
  jobCases,
  serviceCases,
  configCases,
  customDefinitionCases,
  invalidDefinitionCases,
  customObjectCases,
  customReadCases,
  customValidationCases,
  customRuleCases,
  ruleLanguageCases,
  accessCases,
  reviewCases,
  nodeAccessCases,
  controlPlaneCases,
  certificateCases,
  quotaCases,
  admissionCases,
  webhookCallCases,
  singleMistakeCases,
  badInputCases,
];

export const caseGroups: readonly CaseGroup[] = [
  ...apiCaseGroups,
  ...workloadCaseGroups,
  ...kubectlCaseGroups,
];
