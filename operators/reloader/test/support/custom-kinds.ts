import type { World } from "@keelson/testkit";
import type { Resource } from "keelson";
import { CustomResourceDefinition } from "keelson/kinds/apiextensions/v1";
import { groupResourceOf } from "keelson/low-level";
import { expect } from "vitest";

/** Installs the CRDs of kinds of other projects, which accept any fields, and waits until the server serves them. */
export async function installKinds({ client }: World, ...resources: readonly Resource[]): Promise<void> {
  await Promise.all(
    resources.map(async (resource) => {
      const name = groupResourceOf(resource);
      await client.create(CustomResourceDefinition, { metadata: { name }, spec: specOf(resource) });
      await expect
        .poll(async () => {
          const { status } = await client.get(CustomResourceDefinition, { name });
          return status?.conditions?.find(({ type }) => type === "Established")?.status;
        })
        .toBe("True");
    }),
  );
}

function specOf({ group, version, kind, plural, scope }: Resource): CustomResourceDefinition["spec"] {
  return {
    ...{ group, scope, names: { kind, plural } },
    versions: [
      {
        ...{ name: version, served: true, storage: true },
        // The CSI driver creates its statuses as whole objects.
        ...(kind !== "SecretProviderClassPodStatus" && { subresources: { status: {} } }),
        schema: { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
      },
    ],
  };
}
