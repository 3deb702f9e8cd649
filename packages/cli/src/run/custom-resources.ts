import { type Client, ForbiddenError, type Logger, type Operator } from "keelson";
import { NoKindMatchError, RestMapper } from "keelson/client";
import { groupResourceOf } from "keelson/low-level";
import { installCrds } from "keelson/object";
import type { AnyDefinedResource } from "keelson/schema";
import { CrdsForbiddenError, MissingCrdsError } from "./errors.ts";

/** Applies the CustomResourceDefinitions of the operators, and returns when the server serves them. Throws a CrdsForbiddenError. */
export async function installOperatorCrds(
  client: Client,
  operators: readonly Operator[],
  { log, signal }: { readonly log: Logger; readonly signal: AbortSignal },
): Promise<void> {
  await Promise.all(
    resourcesOf(operators).map(async (resource) => {
      const crd = groupResourceOf(resource);
      try {
        await installCrds(client, [resource], { signal });
      } catch (error) {
        throw error instanceof ForbiddenError ? new CrdsForbiddenError(crd, { cause: error }) : error;
      }
      log.info("installed the CustomResourceDefinition", { crd });
    }),
  );
}

/** Throws a MissingCrdsError that names all kinds that the server does not serve. Reads only discovery, as every user may. */
export async function requireCrds(
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
