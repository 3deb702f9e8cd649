import { type Client, find, waitFor } from "@keelson/client";
import { type ApplyConfiguration, groupResourceOf } from "@keelson/core";
import { CustomResourceDefinition } from "@keelson/core/kinds/apiextensions/v1";
import { type AnyDefinedResource, compareCrds } from "@keelson/schema";
import { type CrdIncompatibility, IncompatibleCrdsError } from "./errors.ts";

export interface InstallCrdsOptions {
  readonly signal?: AbortSignal;
  /** How long the server may take to serve a kind. Default 30 s. */
  readonly timeoutMs?: number;
  /** Applies definitions that break stored objects or clients. Default false: they are refused. */
  readonly allowIncompatible?: boolean;
  /** Is called for each difference to an installed definition that may break something and is applied. */
  readonly onIncompatible?: (incompatibility: CrdIncompatibility) => void;
}

const fieldOwner = "keelson-crds";

/**
 * Applies the CustomResourceDefinitions of the resources, and returns when the API server serves them. Fields that another
 * field manager owns are taken over. Throws an IncompatibleCrdsError, and applies none, if one of them would break objects
 * or clients of the definition that is installed.
 */
export async function installCrds(
  client: Client,
  resources: readonly AnyDefinedResource[],
  options: InstallCrdsOptions = {},
): Promise<void> {
  const { signal, timeoutMs = 30_000, allowIncompatible = false, onIncompatible } = options;
  const call = signal === undefined ? {} : { signal };
  const definitions = resources.map((resource) => ({
    ...resource.crd(),
    metadata: { name: groupResourceOf(resource) },
  }));
  const found = await Promise.all(definitions.map((each) => incompatibilitiesOf(client, each, call)));
  const breaking = found.flat().filter(({ severity }) => severity === "breaking");
  if (breaking.length > 0 && !allowIncompatible) throw new IncompatibleCrdsError(breaking);
  for (const incompatibility of found.flat()) onIncompatible?.(incompatibility);
  await Promise.all(
    definitions.map(async (definition) => {
      const { name } = definition.metadata;
      await client.apply(CustomResourceDefinition, definition, { fieldOwner, force: true, ...call });
      await waitFor(client, CustomResourceDefinition, { name }, isEstablished, { timeoutMs, ...call });
    }),
  );
}

/** What the definition would break of the one that is installed. */
async function incompatibilitiesOf(
  client: Client,
  definition: ApplyConfiguration<CustomResourceDefinition>,
  call: { readonly signal?: AbortSignal },
): Promise<readonly CrdIncompatibility[]> {
  const { name } = definition.metadata;
  const last = await find(client, CustomResourceDefinition, { name }, call);
  if (last === undefined) return [];
  // The server merges it with the fields of other field managers, such as the conversion webhook.
  const next = await client.apply(CustomResourceDefinition, definition, {
    ...{ fieldOwner, force: true, dryRun: true },
    ...call,
  });
  return compareCrds(last, next).map((incompatibility) => ({ crd: name, ...incompatibility }));
}

function isEstablished({ status }: CustomResourceDefinition): boolean {
  return (status?.conditions ?? []).some(
    (condition) => condition.type === "Established" && condition.status === "True",
  );
}
