import { type Client, waitFor } from "@keelson/client";
import { groupResourceOf } from "@keelson/core";
import type { Operator } from "keelson";
import { CustomResourceDefinition } from "keelson/kinds/apiextensions/v1";

const establishTimeoutMs = 30_000;

/** Applies the CustomResourceDefinitions of an operator, and returns when the server serves them. */
export async function installCrds(client: Client, { resources }: Operator): Promise<void> {
  await Promise.all(
    resources.map(async (resource) => {
      const name = groupResourceOf(resource);
      const definition = { ...resource.crd(), metadata: { name } };
      await client.apply(CustomResourceDefinition, definition, {
        fieldOwner: "keelson-testkit",
        force: true,
      });
      await waitFor(client, CustomResourceDefinition, { name }, isEstablished, {
        timeoutMs: establishTimeoutMs,
      });
    }),
  );
}

function isEstablished({ status }: CustomResourceDefinition): boolean {
  return (status?.conditions ?? []).some(
    (condition) => condition.type === "Established" && condition.status === "True",
  );
}
