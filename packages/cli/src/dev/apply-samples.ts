import { AlreadyExistsError, type Client, find, type ObjectKey } from "keelson";
import { RestMapper } from "keelson/client";
import { Namespace } from "keelson/kinds/core/v1";
import { genericResource, parseApiVersion } from "keelson/low-level";
import { SampleRefusedError } from "./errors.ts";
import { isSameSample, type Sample, type SampleObject, type Samples } from "./sample-files.ts";

const fieldOwner = "keelson-samples";
const defaultNamespace = "default";

/**
 * Applies the first samples in their order, and makes the namespaces that are missing. Those that the later ones change are
 * not applied if they exist: in kept data they have been changed already. Throws a SampleRefusedError.
 */
export function applyFirstSamples(
  client: Client,
  { first, later }: Samples,
  signal: AbortSignal,
): Promise<void> {
  const isChangedLater = (sample: Sample): boolean => later.some((each) => isSameSample(each, sample));
  return applySamples(client, first, { signal, isKept: isChangedLater });
}

/** Applies the later ones in the same way. */
export function applyLaterSamples(client: Client, { later }: Samples, signal: AbortSignal): Promise<void> {
  return applySamples(client, later, { signal, isKept: () => false });
}

interface ApplyOptions {
  readonly signal: AbortSignal;
  /** Whether the sample is left as it is if it exists. */
  readonly isKept: (sample: Sample) => boolean;
}

async function applySamples(
  client: Client,
  samples: readonly Sample[],
  { signal, isKept }: ApplyOptions,
): Promise<void> {
  const mapper = new RestMapper(client);
  for (const sample of samples) {
    try {
      await applySample({ client, mapper, signal }, sample.object, isKept(sample));
    } catch (error) {
      if (signal.aborted) throw error;
      const title = `${sample.object.kind} ${sample.object.metadata.name}`;
      throw new SampleRefusedError({ file: sample.file, title }, { cause: error });
    }
  }
}

interface Server {
  readonly client: Client;
  readonly mapper: RestMapper;
  readonly signal: AbortSignal;
}

async function applySample(
  { client, mapper, signal }: Server,
  object: SampleObject,
  isKept: boolean,
): Promise<void> {
  const { apiVersion, kind } = object;
  const resource = genericResource(
    await mapper.resourceFor({ ...parseApiVersion(apiVersion), kind }, { signal }),
  );
  const key = sampleKey(object, resource.scope);
  const { name, namespace } = key;
  if (isKept && (await find(client, resource, key, { signal })) !== undefined) return;
  if (namespace !== undefined) await ensureNamespace(client, namespace, signal);
  const metadata = { ...object.metadata, name, ...(namespace !== undefined && { namespace }) };
  const { status, ...desired } = object;
  await client.apply(resource, { ...desired, metadata }, { fieldOwner, force: true, signal });
  // What a person decides by the status of an object, such as an approval.
  if (status !== undefined)
    await client
      .status(resource)
      .apply({ apiVersion, kind, metadata: { ...key }, status }, { fieldOwner, force: true, signal });
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
