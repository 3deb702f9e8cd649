import { type ApplyConfiguration, ConflictError, isControlledBy, keyOf, type Stored } from "keelson";
import { Deployment } from "keelson/kinds/apps/v1";
import { makeDeployment } from "./resources/deployment.ts";
import type { Scope } from "./scope.ts";

/** Marks a Deployment whose number of pods the operator does not set. */
const handedOverAnnotation = "webapp.keelson.dev/replicas";

const replicasOwner = "webapp-replicas";

/**
 * The desired Deployment. With an autoscaler the number of pods is handed over to it, in two steps:
 *
 *     created with minReplicas ──▶ the number goes to another field owner ──▶ the operator no longer states it
 *
 * The server resets a field that its only owner no longer states: all pods but one would go. With another owner it stays,
 * and what changes it by the scale subresource, as autoscalers do, takes it over from that owner without a conflict.
 */
export async function decideDeployment(scope: Scope): Promise<ApplyConfiguration<Deployment>> {
  const { context, webapp } = scope;
  const { autoscaling, replicas } = webapp.spec;
  if (autoscaling === undefined) return makeDeployment(webapp, replicas);
  const existing = await context.find(Deployment, webapp.metadata.name);
  if (existing === undefined) return makeDeployment(webapp, autoscaling.minReplicas);
  if (!isHandedOver(existing)) {
    // Autoscalers leave a Deployment without pods alone.
    if (existing.spec?.replicas === 0) return makeDeployment(webapp, autoscaling.minReplicas);
    // An orphan is adopted as it is, first.
    if (!isControlledBy(existing, webapp)) return makeDeployment(webapp, existing.spec?.replicas ?? 1);
    await handOver(scope, existing);
  }
  return withHandOver(makeDeployment(webapp, undefined));
}

function isHandedOver({ metadata }: Deployment): boolean {
  return metadata.annotations?.[handedOverAnnotation] === replicasOwner;
}

function withHandOver(desired: ApplyConfiguration<Deployment>): ApplyConfiguration<Deployment> {
  const annotations = { [handedOverAnnotation]: replicasOwner };
  return { ...desired, metadata: { ...desired.metadata, annotations } };
}

async function handOver({ context }: Scope, deployment: Stored<Deployment>): Promise<void> {
  const { metadata, spec } = deployment;
  const statement: ApplyConfiguration<Deployment> = {
    metadata: { ...keyOf(deployment), uid: metadata.uid },
    spec: { replicas: spec?.replicas ?? 1 },
  };
  try {
    await context.client.apply(Deployment, statement, { fieldOwner: replicasOwner });
  } catch (error) {
    // Another writer has changed the number since then, so it has an owner.
    if (!(error instanceof ConflictError)) throw error;
  }
}
