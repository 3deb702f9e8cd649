import { type Client, waitFor } from "@keelson/client";
import { groupResourceOf } from "@keelson/core";
import { CustomResourceDefinition } from "@keelson/core/kinds/apiextensions/v1";
import type { AnyDefinedResource } from "@keelson/schema";

export interface InstallCrdsOptions {
  readonly signal?: AbortSignal;
  /** How long the server may take to serve a kind. Default 30 s. */
  readonly timeoutMs?: number;
}

const fieldOwner = "keelson-crds";

/**
 * Applies the CustomResourceDefinitions of the resources, and returns when the API server serves them. Fields that another
 * field manager owns are taken over.
 */
export async function installCrds(
  client: Client,
  resources: readonly AnyDefinedResource[],
  { signal, timeoutMs = 30_000 }: InstallCrdsOptions = {},
): Promise<void> {
  const waiting = signal === undefined ? {} : { signal };
  await Promise.all(
    resources.map(async (resource) => {
      const name = groupResourceOf(resource);
      const definition = { ...resource.crd(), metadata: { name } };
      await client.apply(CustomResourceDefinition, definition, { fieldOwner, force: true, ...waiting });
      await waitFor(client, CustomResourceDefinition, { name }, isEstablished, { timeoutMs, ...waiting });
    }),
  );
}

function isEstablished({ status }: CustomResourceDefinition): boolean {
  return (status?.conditions ?? []).some(
    (condition) => condition.type === "Established" && condition.status === "True",
  );
}
