import { type Client, NotFoundError } from "@keelson/client";
import {
  type ApplyConfiguration,
  groupResourceOf,
  type KubeObject,
  metadataOnly,
  type Resource,
} from "@keelson/core";
import {
  type MutatingWebhook,
  MutatingWebhookConfiguration,
  type RuleWithOperations,
  type ValidatingWebhook,
  ValidatingWebhookConfiguration,
  type WebhookClientConfig,
} from "@keelson/core/kinds/admissionregistration/v1";
import { CustomResourceDefinition } from "@keelson/core/kinds/apiextensions/v1";
import type { Admission } from "./admission.ts";
import type { Operation } from "./admission-review.ts";
import { convertPath } from "./conversion.ts";

/** Where the API server finds the webhooks: through a Service, or, for a run outside the cluster, at a URL. */
export type WebhookEndpoint =
  | { readonly service: { readonly namespace: string; readonly name: string; readonly port?: number } }
  /** `https://host:port`, without a path. */
  | { readonly url: string };

export interface ConfigurationContext {
  /** What the configurations are called. */
  readonly name: string;
  readonly endpoint: WebhookEndpoint;
  /** The authorities that the webhooks' certificates come from, in PEM. */
  readonly caBundle: string;
  readonly labels?: Readonly<Record<string, string>>;
}

/** Undefined if no admission has a mutator. */
export function makeMutatingConfiguration(
  admissions: readonly Admission[],
  context: ConfigurationContext,
): ApplyConfiguration<MutatingWebhookConfiguration> | undefined {
  const webhooks = admissions.flatMap((admission): MutatingWebhook[] => {
    if (admission.mutators.length === 0) return [];
    const { reinvocationPolicy = "Never" } = admission.settings;
    return [{ ...makeWebhook("mutate", admission, context), reinvocationPolicy }];
  });
  return webhooks.length === 0 ? undefined : { metadata: metadataOf(context), webhooks };
}

/** Undefined if no admission has a validator. */
export function makeValidatingConfiguration(
  admissions: readonly Admission[],
  context: ConfigurationContext,
): ApplyConfiguration<ValidatingWebhookConfiguration> | undefined {
  const webhooks = admissions.flatMap((admission): ValidatingWebhook[] =>
    admission.validators.length === 0 ? [] : [makeWebhook("validate", admission, context)],
  );
  return webhooks.length === 0 ? undefined : { metadata: metadataOf(context), webhooks };
}

/** The part of a CustomResourceDefinition that has its versions converted by a webhook; the rest is its installer's. */
export function makeConversion(
  resource: Resource,
  context: Pick<ConfigurationContext, "endpoint" | "caBundle">,
): ApplyConfiguration<CustomResourceDefinition> {
  return {
    metadata: { name: groupResourceOf(resource) },
    spec: {
      conversion: {
        strategy: "Webhook",
        webhook: { clientConfig: clientConfigOf(convertPath, context), conversionReviewVersions: ["v1"] },
      },
    },
  };
}

/** What both sorts of webhook have. Every field is stated, so that what somebody changes by hand is put back. */
function makeWebhook(
  verb: "mutate" | "validate",
  admission: Admission,
  context: ConfigurationContext,
): ValidatingWebhook {
  const { settings } = admission;
  return {
    name: admission.nameOf(verb),
    admissionReviewVersions: ["v1"],
    clientConfig: clientConfigOf(admission.pathOf(verb), context),
    failurePolicy: settings.failurePolicy ?? "Fail",
    matchPolicy: settings.matchPolicy ?? "Equivalent",
    namespaceSelector: settings.namespaceSelector ?? {},
    objectSelector: settings.objectSelector ?? {},
    rules: [makeRule(verb, admission)],
    sideEffects: settings.sideEffects ?? "None",
    timeoutSeconds: settings.timeoutSeconds ?? 10,
    ...(settings.matchConditions !== undefined && { matchConditions: settings.matchConditions }),
  };
}

function makeRule(
  verb: "mutate" | "validate",
  { resource, settings, mutators, validators }: Admission,
): RuleWithOperations {
  const steps: readonly { readonly operations: readonly Operation[] }[] =
    verb === "mutate" ? mutators : validators;
  const { subresource } = settings;
  return {
    apiGroups: [resource.group],
    apiVersions: [resource.version],
    operations: [...new Set(steps.flatMap(({ operations }) => operations))].sort(),
    resources: [subresource === undefined ? resource.plural : `${resource.plural}/${subresource}`],
    scope: resource.scope,
  };
}

function clientConfigOf(
  path: string,
  { endpoint, caBundle }: Pick<ConfigurationContext, "endpoint" | "caBundle">,
): WebhookClientConfig {
  const encoded = Buffer.from(caBundle, "utf8").toString("base64");
  if ("url" in endpoint) return { caBundle: encoded, url: endpoint.url.replace(/\/$/, "") + path };
  const { namespace, name, port = 443 } = endpoint.service;
  return { caBundle: encoded, service: { namespace, name, port, path } };
}

function metadataOf({ name, labels }: ConfigurationContext): {
  readonly name: string;
  readonly labels?: Readonly<Record<string, string>>;
} {
  return { name, ...(labels !== undefined && { labels }) };
}

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
