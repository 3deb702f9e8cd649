import { createHash } from "node:crypto";
import {
  type Client,
  type ControllerDefinition,
  controller,
  defineOperator,
  type ObjectContext,
  type Operator,
  type ReconcileResult,
  type Resource,
  type Stored,
} from "keelson";
import { Secret } from "keelson/kinds/core/v1";
import { toError } from "keelson/low-level";
import type { Knobs, Pace } from "../knobs.ts";
import type { TenantClients } from "../tenants.ts";
import { type Addon, HelmRelease, Manifests } from "./addons/kinds.ts";
import { type RenderChart, releaseOf, renderAddon } from "./addons/render.ts";
import { installObjects, isSameResource, removeObjects } from "./addons/tenant-release.ts";
import { isTrue } from "./cluster-api/conditions.ts";
import { Cluster } from "./cluster-api/kinds.ts";
import { ensureMetadata, keysIn, ownedBy } from "./objects.ts";

export interface AddonKnobs {
  /** How long an addon waits for its labels and its owner. */
  readonly labelMs: number;
  /** How long an addon is Installing or Upgrading. */
  readonly installMs: number;
  readonly uninstallMs: number;
  /** Addons, by a part of their names, that fail. */
  readonly failing: readonly string[];
}

export const addonDefaults: AddonKnobs = { labelMs: 0, installMs: 40, uninstallMs: 20, failing: [] };

export interface AddonProviderParts {
  readonly knobs: Knobs<AddonKnobs>;
  readonly pace: Pace;
  readonly tenants: TenantClients;
  readonly renderChart: RenderChart;
}

/** The addon provider for Cluster API: HelmReleases and Manifests become objects of tenant clusters. */
export function addonProvider(parts: AddonProviderParts): Operator {
  return defineOperator({
    name: "addon-provider",
    controllers: [addonController(HelmRelease, parts), addonController(Manifests, parts)],
  });
}

const finalizer = "addons.stackhpc.com/finalizer";
const retry = { requeueAfterMs: 100 };

function addonController(resource: Resource<Addon>, parts: AddonProviderParts): ControllerDefinition {
  /** By uid: what is installed in the tenant cluster, as this process knows it. */
  const installed = new Map<string, string>();
  return controller(resource, { concurrency: 4 })
    .source(parts.knobs.source(resource))
    .watches(Cluster, ({ metadata: { namespace } }, { client }) => keysIn(client, resource, namespace))
    .watches(Secret, ({ metadata: { namespace } }, { client }) => keysIn(client, resource, namespace))
    .finalize(finalizer, (context) => uninstall(context, parts))
    .reconcile(async (context) => {
      const { object, find, client, setStatus } = context;
      const { namespace } = object.metadata;
      if (object.status?.phase === undefined) await setStatus({ ...object.status, phase: "Pending" });
      const cluster = await find(Cluster, object.spec.clusterName);
      if (cluster === undefined || cluster.metadata.deletionTimestamp !== undefined) return undefined;
      const labelling = parts.pace.wait(object, "labels", parts.knobs.in(namespace).labelMs);
      if (labelling !== undefined) return labelling;
      const owner = ownedBy(cluster, Cluster, { controller: false });
      const isAdopted = await ensureMetadata(
        client,
        { object, resource },
        { owner, labels: labelsOf(object) },
      );
      if (isAdopted) return undefined;
      const needed = object.spec.bootstrap === true ? "ControlPlaneInitialized" : "Ready";
      if (!isTrue(cluster.status?.conditions, needed) || object.spec.paused === true) return undefined;
      return install(context, parts, installed);
    });
}

function labelsOf(addon: Stored<Addon>): Readonly<Record<string, string>> {
  const { namespace, release } = releaseOf(addon);
  return {
    "addons.stackhpc.com/cluster": addon.spec.clusterName,
    "addons.stackhpc.com/release-namespace": namespace,
    "addons.stackhpc.com/release-name": release,
  };
}

async function install(
  { object, client, setStatus, log }: ObjectContext<Addon>,
  { knobs, pace, tenants, renderChart }: AddonProviderParts,
  installed: Map<string, string>,
): Promise<ReconcileResult> {
  const { uid, name, namespace } = object.metadata;
  const { installMs, failing } = knobs.in(namespace);
  const isFailing = failing.some((part) => name.includes(part));
  const rendered = await renderAddon(client, object, renderChart);
  const tenant = await tenantOf(client, tenants, object);
  if (rendered === undefined || tenant === undefined) return retry;
  const content = createHash("sha256")
    .update(JSON.stringify([isFailing, object.spec, rendered]))
    .digest("hex");
  const { revision = 0, resources: before = [], phase } = object.status ?? {};
  const isUnderWay = phase === "Installing" || phase === "Upgrading";
  if (installed.get(uid) === content && !isUnderWay) return undefined;
  // After a restart of the provider what is deployed stays deployed.
  const isResumed = !installed.has(uid) && phase === "Deployed" && !isFailing;
  const begun = revision === 0 ? "Installing" : "Upgrading";
  const wait = isResumed ? undefined : pace.wait(object, content, installMs);
  if (wait !== undefined) {
    await setStatus({ ...object.status, phase: begun });
    return wait;
  }
  if (isFailing) {
    await setStatus({ ...object.status, phase: "Failed", failureMessage: "the chart cannot be rendered" });
    installed.set(uid, content);
    return undefined;
  }
  try {
    const resources = await installObjects(tenant, releaseOf(object), rendered.objects);
    const gone = before.filter((each) => !resources.some((other) => isSameResource(each, other)));
    await removeObjects(tenant, gone);
    installed.set(uid, content);
    const next = { phase: "Deployed", revision: isResumed ? revision : revision + 1, resources };
    await setStatus({ ...object.status, ...next, failureMessage: "" });
    return undefined;
  } catch (error) {
    // Such as a kind that is not served yet.
    log.debug("the addon cannot be installed yet", { error: toError(error) });
    return retry;
  }
}

async function uninstall(
  { object, client, find, setStatus }: ObjectContext<Addon>,
  { knobs, pace, tenants }: AddonProviderParts,
): Promise<ReconcileResult> {
  const cluster = await find(Cluster, object.spec.clusterName);
  if (cluster === undefined || cluster.metadata.deletionTimestamp !== undefined) return undefined;
  if (object.spec.paused === true) return undefined;
  const tenant = await tenantOf(client, tenants, object);
  if (tenant === undefined) return undefined;
  await setStatus({ ...object.status, phase: "Uninstalling" });
  const wait = pace.wait(object, "uninstall", knobs.in(object.metadata.namespace).uninstallMs);
  if (wait !== undefined) return wait;
  await removeObjects(tenant, object.status?.resources ?? []);
  return undefined;
}

/** Undefined as long as Cluster API has not written the kubeconfig. */
async function tenantOf(
  client: Client,
  tenants: TenantClients,
  { metadata: { namespace }, spec: { clusterName } }: Stored<Addon>,
): Promise<Client | undefined> {
  const { items } = await client.list(Secret, namespace === undefined ? {} : { namespace });
  const secret = items.find(({ metadata }) => metadata.name === `${clusterName}-kubeconfig`);
  const value = secret?.data?.value;
  return value === undefined ? undefined : tenants.of(Buffer.from(value, "base64").toString());
}
