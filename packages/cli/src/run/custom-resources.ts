import {
  type AnyDefinedResource,
  type Client,
  ForbiddenError,
  groupResourceOf,
  type Logger,
  NoKindMatchError,
  type Operator,
  RestMapper,
  waitFor,
} from "keelson";
import { CustomResourceDefinition } from "keelson/kinds/apiextensions/v1";
import { CrdsForbiddenError, MissingCrdsError } from "./errors.ts";

const establishTimeoutMs = 30_000;
const fieldOwner = "keelson-crds";

/** Applies the CustomResourceDefinitions of the operators, and returns when the server serves them. */
export async function installCrds(
  client: Client,
  operators: readonly Operator[],
  { log, signal }: { readonly log: Logger; readonly signal: AbortSignal },
): Promise<void> {
  await Promise.all(
    resourcesOf(operators).map(async (resource) => {
      const crd = groupResourceOf(resource);
      try {
        await install(client, resource, signal);
      } catch (error) {
        throw error instanceof ForbiddenError ? new CrdsForbiddenError(crd, { cause: error }) : error;
      }
      log.info("installed the CustomResourceDefinition", { crd });
    }),
  );
}

async function install(client: Client, resource: AnyDefinedResource, signal: AbortSignal): Promise<void> {
  const name = groupResourceOf(resource);
  // Whoever installs says what the definition is: fields that another manager set are taken over.
  const definition = { ...resource.crd(), metadata: { name } };
  await client.apply(CustomResourceDefinition, definition, { fieldOwner, force: true, signal });
  await waitFor(client, CustomResourceDefinition, { name }, isEstablished, {
    timeoutMs: establishTimeoutMs,
    signal,
  });
}

/** Throws a MissingCrdsError that names all that the server does not serve. Reads only what everybody may. */
export async function demandCrds(
  client: Client,
  operators: readonly Operator[],
  origins: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  const mapper = new RestMapper(client);
  const missing = await Promise.all(
    resourcesOf(operators).map(async (resource) => {
      try {
        await mapper.resourceFor(resource, { signal });
        return [];
      } catch (error) {
        if (error instanceof NoKindMatchError) return [`${groupResourceOf(resource)}/${resource.version}`];
        throw error;
      }
    }),
  );
  if (missing.flat().length > 0) throw new MissingCrdsError(missing.flat(), origins);
}

function resourcesOf(operators: readonly Operator[]): readonly AnyDefinedResource[] {
  return operators.flatMap(({ resources }) => resources);
}

function isEstablished({ status }: CustomResourceDefinition): boolean {
  return (status?.conditions ?? []).some(
    (condition) => condition.type === "Established" && condition.status === "True",
  );
}
