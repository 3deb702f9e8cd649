import { type Client, ForbiddenError, type Logger, type Operator } from "keelson";
import { NoKindMatchError, RestMapper } from "keelson/client";
import { groupResourceOf } from "keelson/low-level";
import {
  type CrdIncompatibility,
  formatIncompatibility,
  IncompatibleCrdsError,
  installCrds,
} from "keelson/object";
import type { AnyDefinedResource } from "keelson/schema";
import { CrdsForbiddenError, CrdsIncompatibleError, MissingCrdsError } from "./errors.ts";

export interface InstallOperatorCrdsOptions {
  readonly log: Logger;
  readonly signal: AbortSignal;
  readonly allowIncompatible: boolean;
}

/**
 * Applies the CustomResourceDefinitions of the operators, and returns when the server serves them. Throws a
 * CrdsForbiddenError or a CrdsIncompatibleError.
 */
export async function installOperatorCrds(
  client: Client,
  operators: readonly Operator[],
  { log, signal, allowIncompatible }: InstallOperatorCrdsOptions,
): Promise<void> {
  const resources = resourcesOf(operators);
  const onIncompatible = (incompatibility: CrdIncompatibility): void =>
    log.warn("a new CustomResourceDefinition may break stored objects or clients", {
      incompatibility: formatIncompatibility(incompatibility),
    });
  try {
    await installCrds(client, resources, { signal, allowIncompatible, onIncompatible });
  } catch (error) {
    if (error instanceof ForbiddenError)
      throw new CrdsForbiddenError(error.status.details?.name, { cause: error });
    if (error instanceof IncompatibleCrdsError)
      throw new CrdsIncompatibleError(error.incompatibilities, { cause: error });
    throw error;
  }
  for (const resource of resources)
    log.info("installed the CustomResourceDefinition", { crd: groupResourceOf(resource) });
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
