import { type ApplyConfiguration, groupResourceOf, type Resource } from "@keelson/core";
import type {
  MutatingWebhook,
  MutatingWebhookConfiguration,
  RuleWithOperations,
  ValidatingWebhook,
  ValidatingWebhookConfiguration,
  WebhookClientConfig,
} from "@keelson/core/kinds/admissionregistration/v1";
import type { CustomResourceDefinition } from "@keelson/core/kinds/apiextensions/v1";
import type { Admission } from "./admission.ts";
import type { Operation } from "./admission-review.ts";
import { convertPath } from "./webhook-paths.ts";

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
