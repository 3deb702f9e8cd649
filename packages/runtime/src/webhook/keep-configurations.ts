import { type Client, NotFoundError } from "@keelson/client";
import {
  type ApplyConfiguration,
  groupResourceOf,
  type KubeObject,
  metadataOnly,
  type Resource,
} from "@keelson/core";
import {
  MutatingWebhookConfiguration,
  ValidatingWebhookConfiguration,
} from "@keelson/core/kinds/admissionregistration/v1";
import { CustomResourceDefinition } from "@keelson/core/kinds/apiextensions/v1";
import type { Admission } from "./admission.ts";
import {
  type ConfigurationContext,
  makeConversion,
  makeMutatingConfiguration,
  makeValidatingConfiguration,
} from "./webhook-configurations.ts";

export interface KeepConfigurationsOptions extends Omit<ConfigurationContext, "caBundle"> {
  readonly admissions?: readonly Admission[];
  /** The kinds whose CustomResourceDefinitions are to name this webhook as their converter. They must exist. */
  readonly converted?: readonly Resource[];
  /** Who writes, for field management. Default `keelson-webhooks`. */
  readonly fieldOwner?: string;
}

/** Puts the configurations in place with these authorities, and puts back what was changed since. */
export type ConfigurationPass = (caBundle: string, signal?: AbortSignal) => Promise<void>;

/**
 * Makes the pass that keeps the webhook configurations, and the conversion of CustomResourceDefinitions, as they must be.
 * It writes where something is missing or has changed since it last looked, and nothing otherwise. What others add, such
 * as labels, stays.
 */
export function keepConfigurations(client: Client, options: KeepConfigurationsOptions): ConfigurationPass {
  const { admissions = [], converted = [], fieldOwner = "keelson-webhooks" } = options;
  const keeper = new Keeper(client, fieldOwner);
  return async (caBundle, signal) => {
    const context = { ...options, caBundle };
    const call = signal === undefined ? {} : { signal };
    // Conversion first: whoever is asked to validate an object may need it.
    for (const resource of converted) {
      await keeper.keep(CustomResourceDefinition, makeConversion(resource, context), call);
    }
    const mutating = makeMutatingConfiguration(admissions, context);
    const validating = makeValidatingConfiguration(admissions, context);
    const { name } = options;
    if (mutating !== undefined) await keeper.keep(MutatingWebhookConfiguration, mutating, call);
    else await keeper.remove(MutatingWebhookConfiguration, name, call);
    if (validating !== undefined) await keeper.keep(ValidatingWebhookConfiguration, validating, call);
    else await keeper.remove(ValidatingWebhookConfiguration, name, call);
  };
}

interface Call {
  readonly signal?: AbortSignal;
}

/** Applies what is not as it was left. */
class Keeper {
  readonly #client: Client;
  readonly #fieldOwner: string;
  /** By kind and name: what was applied, and the version that the server made of it. */
  readonly #applied = new Map<string, { readonly text: string; readonly resourceVersion: string }>();

  constructor(client: Client, fieldOwner: string) {
    this.#client = client;
    this.#fieldOwner = fieldOwner;
  }

  async keep<T extends KubeObject>(
    resource: Resource<T>,
    configuration: ApplyConfiguration<T>,
    call: Call,
  ): Promise<void> {
    const { name } = configuration.metadata;
    const key = `${groupResourceOf(resource)} ${name}`;
    const text = JSON.stringify(configuration);
    const before = this.#applied.get(key);
    if (before?.text === text && (await this.#versionOf(resource, name, call)) === before.resourceVersion)
      return;
    const options = { ...call, fieldOwner: this.#fieldOwner, force: true };
    const { metadata } = await this.#client.apply(resource, configuration, options);
    this.#applied.set(key, { text, resourceVersion: metadata.resourceVersion ?? "" });
  }

  /**
   * What an earlier release of the operator had, and this one has not, would refuse requests for ever. Looks each time:
   * while releases change, a replica of the earlier one puts it back.
   */
  async remove(resource: Resource, name: string, call: Call): Promise<void> {
    const found = await this.#find(resource, name, call);
    if (!found?.metadata.managedFields?.some(({ manager }) => manager === this.#fieldOwner)) return;
    try {
      await this.#client.delete(resource, { name }, call);
    } catch (error) {
      // Another replica was first.
      if (!(error instanceof NotFoundError)) throw error;
    }
  }

  async #versionOf(resource: Resource, name: string, call: Call): Promise<string | undefined> {
    return (await this.#find(resource, name, call))?.metadata.resourceVersion;
  }

  async #find(resource: Resource, name: string, call: Call): Promise<KubeObject | undefined> {
    try {
      return await this.#client.get(metadataOnly(resource), { name }, call);
    } catch (error) {
      if (error instanceof NotFoundError) return undefined;
      throw error;
    }
  }
}
