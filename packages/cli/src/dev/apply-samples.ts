import { AlreadyExistsError, type Client, type ObjectKey } from "keelson";
import { RestMapper } from "keelson/client";
import { Namespace } from "keelson/kinds/core/v1";
import { genericResource, parseApiVersion } from "keelson/low-level";
import { SampleRefusedError } from "./errors.ts";
import type { Sample, SampleObject } from "./sample-files.ts";

const fieldOwner = "keelson-samples";
const defaultNamespace = "default";

/** Applies them in their order, and makes the namespaces that are missing. Throws a SampleRefusedError. */
export async function applySamples(
  client: Client,
  samples: readonly Sample[],
  signal: AbortSignal,
): Promise<void> {
  const mapper = new RestMapper(client);
  for (const { object, file } of samples) {
    try {
      await applySample(client, mapper, object, signal);
    } catch (error) {
      if (signal.aborted) throw error;
      const title = `${object.kind} ${object.metadata.name}`;
      throw new SampleRefusedError({ file, title }, { cause: error });
    }
  }
}

async function applySample(
  client: Client,
  mapper: RestMapper,
  object: SampleObject,
  signal: AbortSignal,
): Promise<void> {
  const { apiVersion, kind } = object;
  const resource = genericResource(
    await mapper.resourceFor({ ...parseApiVersion(apiVersion), kind }, { signal }),
  );
  const { name, namespace } = sampleKey(object, resource.scope);
  if (namespace !== undefined) await ensureNamespace(client, namespace, signal);
  const metadata = { ...object.metadata, name, ...(namespace !== undefined && { namespace }) };
  await client.apply(resource, { ...object, metadata }, { fieldOwner, force: true, signal });
}

/** The key of a sample once it is applied. */
export function sampleKey(
  { metadata: { name, namespace = defaultNamespace } }: SampleObject,
  scope: "Namespaced" | "Cluster",
): ObjectKey & { readonly name: string } {
  return scope === "Cluster" ? { name } : { namespace, name };
}

async function ensureNamespace(client: Client, name: string, signal: AbortSignal): Promise<void> {
  if (name === defaultNamespace) return;
  try {
    await client.create(Namespace, { metadata: { name } }, { fieldOwner, signal });
  } catch (error) {
    if (!(error instanceof AlreadyExistsError)) throw error;
  }
}
