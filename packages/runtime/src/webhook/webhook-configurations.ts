import { type Client, NotFoundError } from "@keelson/client";
import {
  type ApplyConfiguration,
  groupResourceOf,
  type KubeObject,
  type LabelSelector,
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
import { deletionConditions } from "./deletion-conditions.ts";

/** Where the API server calls the webhooks: through a Service or, for a process outside the cluster, at a URL. */
export type WebhookEndpoint =
  | { readonly service: { readonly namespace: string; readonly name: string; readonly port?: number } }
  /** `https://host:port`, without a path. */
  | { readonly url: string };

/** What all webhook configurations of a server share. */
export interface ConfigurationContext {
  /** The name of the configurations. */
  readonly name: string;
  readonly endpoint: WebhookEndpoint;
  /** The authorities that sign the certificates of the webhooks, in PEM. */
  readonly caBundle: string;
  readonly labels?: Readonly<Record<string, string>>;
  /** The webhooks are called for namespaced objects of these namespaces. Default: of all. */
  readonly namespaces?: readonly string[];
}

/** The MutatingWebhookConfiguration; undefined if no admission has a mutator. */
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

/** The ValidatingWebhookConfiguration; undefined if no admission has a validator. */
export function makeValidatingConfiguration(
  admissions: readonly Admission[],
  context: ConfigurationContext,
): ApplyConfiguration<ValidatingWebhookConfiguration> | undefined {
  const webhooks = admissions.flatMap((admission): ValidatingWebhook[] =>
    admission.validators.length === 0 ? [] : [makeWebhook("validate", admission, context)],
  );
  return webhooks.length === 0 ? undefined : { metadata: metadataOf(context), webhooks };
}

/** The fields of a CustomResourceDefinition that select the webhook as its converter; the other fields are not applied. */
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

/** The fields of both sorts of webhook. Every field is set, so that a manual change is corrected. */
function makeWebhook(
  verb: "mutate" | "validate",
  admission: Admission,
  context: ConfigurationContext,
): ValidatingWebhook {
  const { settings } = admission;
  const rule = makeRule(verb, admission);
  const matchConditions = [...(settings.matchConditions ?? []), ...deletionConditions(settings, rule)];
  return {
    name: admission.nameOf(verb),
    admissionReviewVersions: ["v1"],
    clientConfig: clientConfigOf(admission.pathOf(verb), context),
    failurePolicy: settings.failurePolicy ?? "Fail",
    matchPolicy: settings.matchPolicy ?? "Equivalent",
    namespaceSelector: namespaceSelectorOf(admission, context),
    objectSelector: settings.objectSelector ?? {},
    rules: [rule],
    sideEffects: settings.sideEffects ?? "None",
    timeoutSeconds: settings.timeoutSeconds ?? 10,
    ...(matchConditions.length > 0 && { matchConditions }),
  };
}

function namespaceSelectorOf(
  { resource, settings: { namespaceSelector = {} } }: Admission,
  { namespaces }: ConfigurationContext,
): LabelSelector {
  if (namespaces === undefined || resource.scope === "Cluster") return namespaceSelector;
  const { matchExpressions = [], ...selector } = namespaceSelector;
  const isServed = { key: "kubernetes.io/metadata.name", operator: "In", values: namespaces } as const;
  return { ...selector, matchExpressions: [...matchExpressions, isServed] };
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

/** Which webhook configurations are maintained. */
export interface KeepConfigurationsOptions extends Omit<ConfigurationContext, "caBundle"> {
  readonly admissions?: readonly Admission[];
  /** The kinds whose CustomResourceDefinitions get this webhook as their converter. They must exist. */
  readonly converted?: readonly Resource[];
  /** The field owner of the writes. Default `keelson-webhooks`. */
  readonly fieldOwner?: string;
}

/** Applies the configurations with these authorities, and corrects drift. */
export type ConfigurationPass = (caBundle: string, signal?: AbortSignal) => Promise<void>;

/**
 * Makes the function that applies the webhook configurations and the conversion of CustomResourceDefinitions. It writes
 * only what is missing or has changed since the last call. Fields of other field managers, such as labels, stay.
 */
export function keepConfigurations(client: Client, options: KeepConfigurationsOptions): ConfigurationPass {
  const { admissions = [], converted = [], fieldOwner = "keelson-webhooks" } = options;
  const applier = new ConfigurationApplier(client, fieldOwner);
  return async (caBundle, signal) => {
    const context = { ...options, caBundle };
    const call = signal === undefined ? {} : { signal };
    // Conversion first: the API server may have to convert an object before it calls an admission webhook.
    for (const resource of converted) {
      await applier.apply(CustomResourceDefinition, makeConversion(resource, context), call);
    }
    const mutating = makeMutatingConfiguration(admissions, context);
    const validating = makeValidatingConfiguration(admissions, context);
    const { name } = options;
    if (mutating !== undefined) await applier.apply(MutatingWebhookConfiguration, mutating, call);
    else await applier.remove(MutatingWebhookConfiguration, name, call);
    if (validating !== undefined) await applier.apply(ValidatingWebhookConfiguration, validating, call);
    else await applier.remove(ValidatingWebhookConfiguration, name, call);
  };
}

interface Call {
  readonly signal?: AbortSignal;
}

/** Applies objects that differ from what was last applied. */
class ConfigurationApplier {
  readonly #client: Client;
  readonly #fieldOwner: string;
  /** What was applied and the resource version after that, by kind and name. */
  readonly #applied = new Map<string, { readonly text: string; readonly resourceVersion: string }>();

  constructor(client: Client, fieldOwner: string) {
    this.#client = client;
    this.#fieldOwner = fieldOwner;
  }

  async apply<T extends KubeObject>(
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
    this.#applied.set(key, { text, resourceVersion: metadata.resourceVersion });
  }

  /**
   * A configuration of an earlier release of the operator would refuse requests forever. Checks each time, since during a
   * rollout a replica of the earlier release applies it again.
   */
  async remove(resource: Resource, name: string, call: Call): Promise<void> {
    const found = await this.#find(resource, name, call);
    if (!found?.metadata.managedFields?.some(({ manager }) => manager === this.#fieldOwner)) return;
    try {
      await this.#client.delete(resource, { name }, call);
    } catch (error) {
      // Another replica deleted it first.
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
