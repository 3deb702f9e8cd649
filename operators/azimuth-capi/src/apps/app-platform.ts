import {
  type ControllerDefinition,
  controller,
  find,
  type ObjectContext,
  type ObjectKey,
  type Stored,
} from "keelson";
import type { HandlerContext } from "keelson/controller";
import { isRecord } from "keelson/low-level";
import { parseJson } from "keelson/object";
import { type Cluster, specOf } from "../api/cluster.ts";
import {
  addonClusterLabel,
  appTemplateLabel,
  managedBy,
  managedByLabel,
  servicesAnnotation,
} from "../api/names.ts";
import { adoptOrphan } from "../cluster/adopt-orphan.ts";
import { platformSpec } from "../cluster/identity.ts";
import { findRealm } from "../cluster/observe.ts";
import type { ClusterParts } from "../cluster/parts.ts";
import { HelmRelease } from "../neighbours/addons.ts";
import type { PlatformService, Realm } from "../neighbours/identity.ts";

type AppParts = Pick<ClusterParts, "kinds" | "settings">;

/** Keeps a Platform for each app that a user has deployed to a Cluster, so that its services have users. */
export function appPlatformController({ kinds, settings }: AppParts): ControllerDefinition {
  const parts = { kinds, settings };
  return controller(HelmRelease, {
    fieldOwner: settings.easykubeFieldManager,
    predicates: [
      { create: ({ object }) => isApp(object), update: ({ object }) => isApp(object), delete: () => false },
    ],
  })
    .named("app")
    .owns(kinds.Platform)
    .watches(kinds.Realm, ({ metadata }, context) => appsOf(context, metadata.namespace))
    .watches(kinds.Cluster, ({ metadata }, context) => appsOf(context, metadata.namespace, metadata.name))
    .reconcile((context) => reconcileApp(context, parts));
}

function isApp({ metadata: { labels = {} } }: HelmRelease): boolean {
  return labels[appTemplateLabel] !== undefined && labels[addonClusterLabel] !== undefined;
}

async function appsOf(
  { client }: HandlerContext,
  namespace: string,
  cluster?: string,
): Promise<readonly ObjectKey[]> {
  const ofCluster = cluster === undefined ? addonClusterLabel : `${addonClusterLabel}=${cluster}`;
  const labelSelector = `${appTemplateLabel},${ofCluster}`;
  const { items } = await client.list(HelmRelease, { namespace, labelSelector });
  return items.map(({ metadata: { name } }) => ({ namespace, name }));
}

async function reconcileApp(
  context: ObjectContext<HelmRelease>,
  { kinds, settings }: AppParts,
): Promise<void> {
  const { object, client, apply, log } = context;
  const { namespace, name, labels = {}, annotations = {} } = object.metadata;
  const cluster = labels[addonClusterLabel];
  if (!isApp(object) || cluster === undefined || object.metadata.deletionTimestamp !== undefined) return;
  const target = await find(client, kinds.Cluster, { namespace, name: cluster });
  // With the Cluster its apps go.
  if (target === undefined || target.metadata.deletionTimestamp !== undefined) return;
  const realm = await realmOf(context, target, kinds);
  if (realm === undefined) return;
  const platform = settings.identity.appPlatformNameTemplate.replaceAll("{app_name}", name);
  const services = servicesIn(annotations[servicesAnnotation]);
  if (services === undefined) {
    log.warn(
      "the annotation with the services is not what the operator writes; its Platform stays as it is",
      {
        annotation: servicesAnnotation,
      },
    );
    return;
  }
  const adopter = { kind: HelmRelease, fieldOwner: settings.easykubeFieldManager };
  await adoptOrphan(context, adopter, kinds.Platform, platform);
  await apply(kinds.Platform, {
    metadata: { name: platform, labels: { ...labels, [managedByLabel]: managedBy } },
    spec: platformSpec(realm, services),
  });
}

function realmOf(
  { client, find: read }: ObjectContext<HelmRelease>,
  target: Stored<Cluster>,
  { Realm }: AppParts["kinds"],
): Promise<Stored<Realm> | undefined> {
  return findRealm({ client, find: read, object: target }, Realm, specOf(target));
}

/** The services that an annotation holds, none without one; undefined if it cannot be understood. */
function servicesIn(text: string | undefined): Readonly<Record<string, PlatformService>> | undefined {
  if (text === undefined) return {};
  try {
    const value: unknown = parseJson(text);
    if (!isRecord(value)) return undefined;
    const entries = Object.entries(value).map(([service, each]) => [service, serviceIn(each)] as const);
    const services = entries.flatMap(([service, each]) => (each === undefined ? [] : [[service, each]]));
    return services.length === entries.length ? Object.fromEntries(services) : undefined;
  } catch {
    // A user has written it.
    return undefined;
  }
}

function serviceIn(value: unknown): PlatformService | undefined {
  if (!isRecord(value)) return undefined;
  const { subdomain, fqdn } = value;
  return typeof subdomain === "string" && typeof fqdn === "string" ? { subdomain, fqdn } : undefined;
}
