import { type GenericObject, type KubeObject, type Resource, TerminalError } from "keelson";
import { Deployment } from "keelson/kinds/apps/v1";
import { Secret, ServiceAccount } from "keelson/kinds/core/v1";
import { Role, RoleBinding } from "keelson/kinds/rbac/v1";
import { genericResource } from "keelson/low-level";
import { ownerReferenceTo } from "keelson/object";
import type { EnabledZenith } from "../settings.ts";
import { zenithOperatorValues } from "../zenith/operator-values.ts";
import { ownLabels } from "./identity.ts";
import type { ClusterContext, ClusterParts } from "./parts.ts";

/** The kinds that the chart of the Zenith operator may render; with a kubeconfig, a Secret and a Deployment. */
const renderedKinds: readonly Resource[] = [Secret, Deployment, ServiceAccount, Role, RoleBinding];

/** Runs the Zenith operator of a cluster beside it: it connects to the tenant cluster by its kubeconfig. */
export async function ensureZenithOperator(
  context: ClusterContext,
  parts: ClusterParts,
  zenith: EnabledZenith,
  cloudsYaml: string,
): Promise<void> {
  const { object, signal } = context;
  const { namespace, name } = object.metadata;
  const chart = {
    name: zenith.operatorChartName,
    repository: zenith.chartRepository,
    version: zenith.chartVersion,
  };
  const values = zenithOperatorValues({ zenith, cluster: name, cloudsYaml });
  const rendered = await parts.helm.template({ namespace, name }, chart, values, signal);
  for (const each of rendered) await applyRendered(context, parts, each);
}

async function applyRendered(
  context: ClusterContext,
  parts: ClusterParts,
  rendered: GenericObject,
): Promise<void> {
  const { object, liveClient } = context;
  const { namespace } = object.metadata;
  const kind = renderedKinds.find((each) => isOfKind(rendered, each));
  if (kind === undefined)
    throw new TerminalError(
      `the chart of the Zenith operator renders a ${rendered.kind} of ${rendered.apiVersion}, which the operator may not create; use another chart`,
    );
  const owner = ownerReferenceTo(
    { resource: parts.kinds.Cluster, object },
    { controller: true, blockOwnerDeletion: true },
  );
  const metadata = {
    ...rendered.metadata,
    ...{ namespace, name: rendered.metadata.name ?? "" },
    labels: { ...ownLabels(context, parts), ...rendered.metadata.labels },
    ownerReferences: [owner],
  };
  const fieldOwner = parts.settings.easykubeFieldManager;
  await liveClient.apply(genericResource(kind), { ...rendered, metadata }, { fieldOwner, force: true });
}

function isOfKind({ apiVersion, kind }: KubeObject, resource: Resource): boolean {
  const { group, version } = resource;
  return kind === resource.kind && apiVersion === (group === "" ? version : `${group}/${version}`);
}
