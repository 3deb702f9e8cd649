import type { Clock } from "@keelson/core";
import type { AdmissionChain, MutatingAdmission, ValidatingAdmission } from "../admission/admission.ts";
import {
  certificateApproval,
  certificateSigning,
  certificateSubjectRestriction,
} from "../admission/certificates.ts";
import { defaultIngressClass, defaultStorageClass } from "../admission/default-class.ts";
import { limitRangeBounds, limitRangeDefaults } from "../admission/limit-ranger.ts";
import { namespaceLifecycle } from "../admission/namespace-lifecycle.ts";
import { ownerReferencePermissions } from "../admission/owner-references.ts";
import { podPriority, singleDefaultPriority } from "../admission/priority.ts";
import { type ResourceQuotaDependencies, resourceQuota } from "../admission/quota/resource-quota.ts";
import { rbacEscalation } from "../admission/rbac-escalation.ts";
import { runtimeClass } from "../admission/runtime-class.ts";
import { serviceAccountAdmission } from "../admission/service-account.ts";
import { claimResize, storageProtection } from "../admission/storage.ts";
import { defaultTolerations, nodeTaint } from "../admission/taints.ts";
import type { Rbac } from "../auth/rbac.ts";
import type { Store } from "../store/store.ts";
import type { WebhookDependencies } from "./call-webhook.ts";
import { mutatingWebhooks } from "./mutating-webhooks.ts";
import { validatingWebhooks } from "./validating-webhooks.ts";
import { createWebhookSource } from "./webhook-source.ts";

interface AdmissionChainDependencies extends Omit<WebhookDependencies, "authorize"> {
  /** Where the chain subscribes to changes of webhook configurations. */
  readonly store: Pick<Store, "subscribe" | "revision">;
  readonly rbac: Rbac;
  readonly updateQuotaStatus: ResourceQuotaDependencies["updateStatus"];
  readonly clock: Clock;
  /** Whether a controller creates ServiceAccounts; otherwise pods need none. Default: true. */
  readonly hasServiceAccounts?: boolean;
  /** Whether changes of owner references need further permissions. Default: false. */
  readonly enforcesOwnerPermissions?: boolean;
}

/**
 * The admission chain in the order of the real server: mutating plugins, mutating webhooks and the check of RBAC
 * escalation; after validation of the object, validating plugins, validating webhooks and quotas. A changed webhook
 * configuration makes a new chain.
 */
export function createAdmissionChain(dependencies: AdmissionChainDependencies): () => AdmissionChain {
  const { store, rbac, read } = dependencies;
  const ofWebhooks: WebhookDependencies = { ...dependencies, authorize: rbac.authorize };
  const webhooks = createWebhookSource(store, read);
  const mutatingPlugins = createMutatingPlugins(dependencies);
  const validatingPlugins = createValidatingPlugins(dependencies);
  const escalation = rbacEscalation(rbac, read);
  const { clock, updateQuotaStatus } = dependencies;
  const quota = resourceQuota({ read, clock, updateStatus: updateQuotaStatus });
  let chain: AdmissionChain | undefined;
  webhooks.onChange(() => {
    chain = undefined;
  });

  function newChain(): AdmissionChain {
    const mutating = webhooks.mutating();
    const validating = webhooks.validating();
    return {
      mutating: [
        ...mutatingPlugins,
        ...(mutating.length > 0 ? [mutatingWebhooks(mutating, mutatingPlugins, ofWebhooks)] : []),
        escalation,
      ],
      validating: [
        ...validatingPlugins,
        ...(validating.length > 0 ? [validatingWebhooks(validating, ofWebhooks)] : []),
        quota,
      ],
    };
  }

  return () => {
    chain ??= newChain();
    return chain;
  };
}

function createMutatingPlugins(dependencies: AdmissionChainDependencies): readonly MutatingAdmission[] {
  const { read, clock, random, hasServiceAccounts = true } = dependencies;
  return [
    namespaceLifecycle(read),
    limitRangeDefaults(read),
    ...(hasServiceAccounts ? [serviceAccountAdmission({ read, clock, random })] : []),
    nodeTaint,
    podPriority(read),
    defaultTolerations,
    defaultStorageClass(read),
    storageProtection,
    runtimeClass(read),
    defaultIngressClass(read),
  ];
}

function createValidatingPlugins(dependencies: AdmissionChainDependencies): readonly ValidatingAdmission[] {
  const { read, rbac, registry, enforcesOwnerPermissions = false } = dependencies;
  return [
    limitRangeBounds(read),
    singleDefaultPriority(read),
    ...(enforcesOwnerPermissions ? [ownerReferencePermissions(rbac.authorize, registry)] : []),
    claimResize(read),
    certificateApproval(rbac.authorize),
    certificateSigning(rbac.authorize),
    certificateSubjectRestriction,
  ];
}
