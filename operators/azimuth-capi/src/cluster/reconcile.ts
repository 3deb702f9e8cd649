import type { ReconcileResult } from "keelson";
import { toError } from "keelson/low-level";
import { type ClusterSpec, specOf } from "../api/cluster.ts";
import { enabledZenith } from "../settings.ts";
import { isHandled, isProvisioned, recordHandled } from "./handled-spec.ts";
import { maintainIdentity } from "./identity.ts";
import { ensureUserKubeconfig, kubeconfigText } from "./kubeconfig.ts";
import { adoptLease } from "./lease.ts";
import { observeSurroundings } from "./observe.ts";
import type { ClusterContext, ClusterParts } from "./parts.ts";
import { type Provisioning, type ProvisioningFacts, provision } from "./provision.ts";
import { annotateAddons, servicesToShow } from "./services.ts";
import { type ShownStatus, showProgress, showTransition } from "./show-status.ts";

/**
 * Brings a Cluster to its spec, and its status to what its parts come to. A spec that was not handled yet goes the whole way to
 * the Helm release; everything else, such as services, owners and the status, follows the neighbours at all times.
 */
export async function reconcileCluster(
  context: ClusterContext,
  parts: ClusterParts,
): Promise<ReconcileResult> {
  const { object, key } = context;
  const spec = specOf(object);
  const surroundings = await observeSurroundings(context, parts, spec);
  const watchesTenant = enabledZenith(parts.settings) !== undefined;
  const { kubeconfigSecret } = surroundings;
  parts.tenants.observe(key, watchesTenant ? kubeconfigText(kubeconfigSecret) : undefined);
  const toShow = servicesToShow(context, parts, surroundings);
  const { services } = toShow;
  const wasHandled = isHandled(object, parts.names);
  const facts = { spec, surroundings, services };
  // The transition begins before anything is done for it, so that its end is awaited from here on.
  if (!wasHandled) await showTransition(context, parts, facts);
  const provisioning = await provisionIfNeeded(context, parts, facts, wasHandled);
  const failures = new Failures();
  await failures.collect(() => annotateAddons(context, parts, toShow));
  const known = object.status?.kubeconfigSecretName ?? undefined;
  const ensured = () => ensureUserKubeconfig(context, parts, surroundings.kubeconfigSecret);
  const kubeconfigSecretName = await failures.collect(ensured, known);
  const progress = { provisioning, wasHandled, kubeconfigSecretName };
  const shown = await showProgress(context, parts, facts, progress).catch((second: unknown) => {
    throw failures.before(context, provisioning, toError(second));
  });
  // After the status: while the tenant cluster is not reached, what the status has of its services is all that is known.
  if (isProvisioned(object, parts.names) && !spec.paused)
    await failures.collect(() => maintainNeighbours(context, parts, facts));
  if (provisioning.type === "done" && !wasHandled) await recordHandled(context, parts);
  const first = failures.first(provisioning);
  if (first !== undefined) throw first;
  return nextReconcile(context, parts, { ...shown, provisioning, spec });
}

/** A paused Cluster counts as handled: its spec is handled again when it is resumed, since that changes it. */
async function provisionIfNeeded(
  context: ClusterContext,
  parts: ClusterParts,
  facts: ProvisioningFacts,
  wasHandled: boolean,
): Promise<Provisioning> {
  if (wasHandled || facts.spec.paused) return { type: "done" };
  return provision(context, parts, facts);
}

/** Of a Cluster of which a spec was handled, be it the current one or not. A restored backup has lost owners and finalizers. */
async function maintainNeighbours(
  context: ClusterContext,
  parts: ClusterParts,
  { surroundings: { realm, lease }, services }: ProvisioningFacts,
): Promise<void> {
  if (lease !== undefined) await adoptLease(context, parts, lease);
  await maintainIdentity(context, parts, realm, services);
}

/** A neighbour that changes enqueues the Cluster; these are the times at which nothing but time has passed. */
function nextReconcile(
  { clock }: ClusterContext,
  { settings }: ClusterParts,
  facts: ShownStatus & { readonly provisioning: Provisioning; readonly spec: ClusterSpec },
): ReconcileResult {
  const { status, provisioning, spec, detailsInMs } = facts;
  const waits = provisioning.type === "waiting" ? [provisioning.retryMs] : [];
  if (detailsInMs > 0) waits.push(detailsInMs);
  const { phase, lastUpdated } = status;
  const isSettled = spec.paused || phase === "Ready" || phase === "Failed" || phase === "Deleting";
  if (!isSettled) {
    waits.push(settings.timerInterval * 1000);
    const timeoutMs = Date.parse(lastUpdated ?? "") + settings.clusterTimeoutSeconds * 1000 - clock.now();
    if (timeoutMs >= 0) waits.push(timeoutMs + 1);
  }
  return waits.length === 0 ? undefined : { requeueAfterMs: Math.max(1, Math.min(...waits)) };
}

/** Concerns that do not depend on each other: one that fails hinders no other, and the reconcile fails in the end. */
class Failures {
  readonly #errors: Error[] = [];

  async collect(step: () => Promise<void>): Promise<void>;
  async collect<T>(step: () => Promise<T>, otherwise: T): Promise<T>;
  async collect<T>(step: () => Promise<T>, otherwise?: T): Promise<T | undefined> {
    try {
      return await step();
    } catch (error) {
      this.#errors.push(toError(error));
      return otherwise;
    }
  }

  /** What provisioning failed with, or else the first other failure. */
  first(provisioning: Provisioning): Error | undefined {
    return provisioning.type === "failed" ? provisioning.error : this.#errors[0];
  }

  /** The error to throw if the status cannot be written: an earlier one is the cause. */
  before({ log }: ClusterContext, provisioning: Provisioning, error: Error): Error {
    const first = this.first(provisioning);
    if (first !== undefined) log.warn("the status could not be written either", { error });
    return first ?? error;
  }
}
