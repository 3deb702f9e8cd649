import { sortFields } from "@keelson/core";
import type {
  CustomResourceConversion,
  CustomResourceDefinitionVersion,
  WebhookClientConfig,
} from "@keelson/core/kinds/apiextensions/v1";
import type { SchemaProblem } from "../errors.ts";
import { makeVersion } from "./crd-version.ts";
import type { NamedDefinition } from "./defined-resource.ts";
import { checkNames, checkVersions, reporter } from "./definition-rules.ts";
import type { ResourceDefinition } from "./resource-definition.ts";

export interface MadeCrd {
  readonly crd: NamedDefinition;
  /** If there are any, the definition is of no use. */
  readonly problems: readonly SchemaProblem[];
}

/** Builds the CustomResourceDefinition of a kind with all its versions, and finds what is wrong with it. */
export function makeCrd(definition: ResourceDefinition): MadeCrd {
  const {
    group,
    kind,
    scope = "Namespaced",
    plural = pluralOf(kind),
    singular = kind.toLowerCase(),
  } = definition;
  const {
    shortNames = [],
    categories = [],
    versions = [],
    labels,
    annotations,
    conversionWebhook,
  } = definition;
  const problems: SchemaProblem[] = [];
  checkNames(definition, { plural, singular }, reporter(problems));
  const others = versions.map((version) => version.definition);
  const hasOtherStorage = others.some(({ storage }) => storage === true);
  const made: readonly CustomResourceDefinitionVersion[] = [
    makeVersion(definition, definition.storage ?? !hasOtherStorage, problems),
    // The other versions were checked when they were defined.
    ...others.map((other) => makeVersion(other, other.storage ?? false, [])),
  ];
  checkVersions(definition, plural, made, reporter(problems));
  const crd: NamedDefinition = {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: {
      name: `${plural}.${group}`,
      ...(labels !== undefined && { labels }),
      ...(annotations !== undefined && { annotations }),
    },
    spec: {
      group,
      scope,
      names: {
        kind,
        listKind: `${kind}List`,
        plural,
        singular,
        ...(shortNames.length > 0 && { shortNames }),
        ...(categories.length > 0 && { categories }),
      },
      versions: made,
      ...(conversionWebhook !== undefined && { conversion: webhookConversion(conversionWebhook) }),
    },
  };
  return { crd: sortFields(crd), problems };
}

function webhookConversion(clientConfig: WebhookClientConfig): CustomResourceConversion {
  return { strategy: "Webhook", webhook: { clientConfig, conversionReviewVersions: ["v1"] } };
}

/** The English plural of a kind in lower case: `webapps`, `policies`, `gateways`, `ingresses`, `proxies`. */
export function pluralOf(kind: string): string {
  const singular = kind.toLowerCase();
  if (/[^aeiou]y$/.test(singular)) return `${singular.slice(0, -1)}ies`;
  return /(?:s|x|z|ch|sh)$/.test(singular) ? `${singular}es` : `${singular}s`;
}
