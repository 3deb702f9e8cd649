import { AlreadyExistsError, type Client, type GenericObject, NotFoundError } from "keelson";
import { RestMapper } from "keelson/client";
import { Namespace } from "keelson/kinds/core/v1";
import { genericResource, parseApiVersion } from "keelson/low-level";
import type { AddonResource } from "./kinds.ts";
import type { ChartRequest } from "./render.ts";

const fieldOwner = "helm";

/** Applies the objects as Helm does, and returns what they are. Throws if a kind is not served. */
export async function installObjects(
  client: Client,
  { namespace, release }: Pick<ChartRequest, "namespace" | "release">,
  objects: readonly GenericObject[],
): Promise<readonly AddonResource[]> {
  await ensureNamespace(client, namespace);
  // Kinds may have come since the last time.
  const mapper = new RestMapper(client);
  const resources: AddonResource[] = [];
  for (const object of objects) {
    const { apiVersion, kind, metadata } = object;
    const resource = genericResource(await mapper.resourceFor({ ...parseApiVersion(apiVersion), kind }));
    const own = resource.scope === "Namespaced" ? { namespace: metadata.namespace ?? namespace } : {};
    const named = { name: metadata.name ?? "" };
    await client.apply(
      resource,
      {
        ...object,
        metadata: {
          ...{ ...metadata, ...own, ...named },
          labels: { ...metadata.labels, "app.kubernetes.io/managed-by": "Helm" },
          annotations: {
            ...metadata.annotations,
            "meta.helm.sh/release-name": release,
            "meta.helm.sh/release-namespace": namespace,
          },
        },
      },
      { fieldOwner, force: true },
    );
    resources.push({ apiVersion, kind, ...named, ...own });
  }
  return resources;
}

export async function removeObjects(client: Client, resources: readonly AddonResource[]): Promise<void> {
  const mapper = new RestMapper(client);
  for (const { apiVersion, kind, name, namespace } of resources) {
    const resource = await mapper.resourceFor({ ...parseApiVersion(apiVersion), kind });
    const key = { name, ...(namespace !== undefined && { namespace }) };
    await client.delete(resource, key).catch((error: unknown) => {
      if (!(error instanceof NotFoundError)) throw error;
    });
  }
}

export function isSameResource(one: AddonResource, other: AddonResource): boolean {
  return (
    one.apiVersion === other.apiVersion &&
    one.kind === other.kind &&
    one.name === other.name &&
    one.namespace === other.namespace
  );
}

async function ensureNamespace(client: Client, name: string): Promise<void> {
  await client.create(Namespace, { metadata: { name } }, { fieldOwner }).catch((error: unknown) => {
    if (!(error instanceof AlreadyExistsError)) throw error;
  });
}
