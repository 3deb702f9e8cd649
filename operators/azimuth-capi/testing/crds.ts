import { readFile } from "node:fs/promises";
import { type ApplyConfiguration, type Client, waitFor } from "keelson";
import { CustomResourceDefinition } from "keelson/kinds/apiextensions/v1";
import { isRecord } from "keelson/low-level";
import { parseAllDocuments } from "yaml";

/** The files of `crds/`, each with the kinds of one neighbour. */
export type CrdFile = "identity" | "scheduling" | "cluster-api" | "addons" | "zenith" | "flux";

const fieldOwner = "azimuth-neighbours";
const timeoutMs = 30_000;

/** Applies the CustomResourceDefinitions of a file, and resolves when the API server serves them. */
export async function applyCrds(client: Client, file: CrdFile, signal?: AbortSignal): Promise<void> {
  const call = signal === undefined ? {} : { signal };
  await Promise.all(
    (await readCrds(file)).map(async (definition) => {
      await client.apply(CustomResourceDefinition, definition, { fieldOwner, force: true, ...call });
      const { name } = definition.metadata;
      await waitFor(client, CustomResourceDefinition, { name }, isEstablished, { timeoutMs, ...call });
    }),
  );
}

async function readCrds(file: CrdFile): Promise<readonly ApplyConfiguration<CustomResourceDefinition>[]> {
  const text = await readFile(new URL(`./crds/${file}.yaml`, import.meta.url), "utf8");
  return [parseAllDocuments(text)].flat().map((document) => {
    const definition: unknown = document.toJS();
    if (!isCrd(definition)) throw new Error(`read crds/${file}.yaml: it holds something without a name`);
    return definition;
  });
}

function isCrd(value: unknown): value is ApplyConfiguration<CustomResourceDefinition> {
  return isRecord(value) && isRecord(value.metadata) && typeof value.metadata.name === "string";
}

function isEstablished({ status }: CustomResourceDefinition): boolean {
  return (status?.conditions ?? []).some(
    (condition) => condition.type === "Established" && condition.status === "True",
  );
}
