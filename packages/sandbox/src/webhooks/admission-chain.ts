import type { AdmissionChain, MutatingAdmission, ValidatingAdmission } from "../admission/admission.ts";
import { defaultIngressClass, defaultStorageClass } from "../admission/default-class.ts";
import { namespaceLifecycle } from "../admission/namespace-lifecycle.ts";
import { podPriority, singleDefaultPriority } from "../admission/priority.ts";
import { rbacEscalation } from "../admission/rbac-escalation.ts";
import { runtimeClass } from "../admission/runtime-class.ts";
import { serviceAccountAdmission } from "../admission/service-account.ts";
import { claimResize, storageProtection } from "../admission/storage.ts";
import { defaultTolerations, nodeTaint } from "../admission/taints.ts";
import type { Rbac } from "../auth/rbac.ts";
import type { Store } from "../store/store.ts";
import type { WebhookTools } from "./call-webhook.ts";
import { mutatingWebhooks } from "./mutating-webhooks.ts";
import { validatingWebhooks } from "./validating-webhooks.ts";
import { createWebhookSource } from "./webhook-source.ts";

interface AdmissionChainDependencies extends Omit<WebhookTools, "authorize"> {
  /** Told of changes of webhook configurations. */
  readonly store: Pick<Store, "subscribe" | "revision">;
  readonly rbac: Rbac;
  /** Whether somebody makes the ServiceAccounts that pods are to have; without, pods need none. Default: true. */
  readonly hasServiceAccounts?: boolean;
}

/**
 * Everybody who has a say in a write, in the order of the real server: plugins that change the object, webhooks that
 * do, the check that nobody gives away more than they have; and after validation, plugins and webhooks that refuse.
 * The chain is made anew when webhooks come and go.
 */
export function createAdmissionChain(dependencies: AdmissionChainDependencies): () => AdmissionChain {
  const { store, rbac, read } = dependencies;
  const tools: WebhookTools = { ...dependencies, authorize: rbac.authorize };
  const webhooks = createWebhookSource(store, read);
  const changing = changingPlugins(dependencies);
  const refusing = refusingPlugins(dependencies);
  const escalation = rbacEscalation(rbac, read);
  let chain: AdmissionChain | undefined;
  webhooks.onChange(() => {
    chain = undefined;
  });

  function newChain(): AdmissionChain {
    const mutating = webhooks.mutating();
    const validating = webhooks.validating();
    return {
      mutating: [
        ...changing,
        ...(mutating.length > 0 ? [mutatingWebhooks(mutating, changing, tools)] : []),
        escalation,
      ],
      validating: [...refusing, ...(validating.length > 0 ? [validatingWebhooks(validating, tools)] : [])],
    };
  }

  return () => {
    chain ??= newChain();
    return chain;
  };
}

function changingPlugins(dependencies: AdmissionChainDependencies): readonly MutatingAdmission[] {
  const { read, clock, random, hasServiceAccounts = true } = dependencies;
  return [
    namespaceLifecycle(read),
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

function refusingPlugins({ read }: AdmissionChainDependencies): readonly ValidatingAdmission[] {
  return [singleDefaultPriority(read), claimResize(read)];
}
