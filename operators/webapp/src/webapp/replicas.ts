import { type ApplyConfiguration, ConflictError, find, isControlledBy } from "keelson";
import { Deployment } from "keelson/kinds/apps/v1";
import { makeDeployment } from "./resources/deployment.ts";
import { childKey, type Scope } from "./scope.ts";

/** Says that the number of pods is not the operator's to choose. */
const handedOverAnnotation = "webapp.keelson.dev/replicas";

const keeper = "webapp-replicas";

/**
 * The Deployment that is wanted now. With an autoscaler the number of pods is handed over to it, in two steps:
 *
 *     made with minReplicas ──▶ the number goes to another field owner ──▶ we no longer state it
 *
 * A field that its only owner no longer states is reset by the server: all pods but one would go. With another owner it
 * stays, and whoever changes it by the scale subresource, as autoscalers do, takes it from that owner without a word.
 */
export async function decideDeployment(scope: Scope): Promise<ApplyConfiguration<Deployment>> {
  const { client, webapp } = scope;
  const { autoscaling, replicas } = webapp.spec;
  if (autoscaling === undefined) return makeDeployment(webapp, replicas);
  const existing = await find(client, Deployment, childKey(webapp));
  if (existing === undefined) return makeDeployment(webapp, autoscaling.minReplicas);
  if (!isHandedOver(existing)) {
    // Where there are no pods, autoscalers take it that none are wanted.
    if (existing.spec?.replicas === 0) return makeDeployment(webapp, autoscaling.minReplicas);
    // An orphan is taken back as it is, first.
    if (!isControlledBy(existing, webapp)) return makeDeployment(webapp, existing.spec?.replicas ?? 1);
    await handOver(scope, existing);
  }
  return withHandOver(makeDeployment(webapp, undefined));
}

function isHandedOver({ metadata }: Deployment): boolean {
  return metadata.annotations?.[handedOverAnnotation] === keeper;
}

function withHandOver(wanted: ApplyConfiguration<Deployment>): ApplyConfiguration<Deployment> {
  return { ...wanted, metadata: { ...wanted.metadata, annotations: { [handedOverAnnotation]: keeper } } };
}

async function handOver({ client, webapp }: Scope, { metadata, spec }: Deployment): Promise<void> {
  const { uid } = metadata;
  const statement: ApplyConfiguration<Deployment> = {
    metadata: { ...childKey(webapp), ...(uid !== undefined && { uid }) },
    spec: { replicas: spec?.replicas ?? 1 },
  };
  try {
    await client.apply(Deployment, statement, { fieldOwner: keeper });
  } catch (error) {
    // Somebody else has changed the number since then, so it has an owner.
    if (!(error instanceof ConflictError)) throw error;
  }
}
